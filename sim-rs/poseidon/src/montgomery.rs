//! Field arithmetic with late reduction, for the hot path of the permutation.
//!
//! Elements are four 64-bit limbs in the Montgomery form that ark-ff uses (R = 2^256), but need
//! not be canonical: an element is *loose* when it is below 9/8 p + 2^-20 p. Sums of products are
//! added up in 576 bits and reduced once.
//!
//! Bounds, in units of p, for p = c R with c <= 0.4531. A Montgomery reduction of a value V gives less than
//! V / (R p) + 1. With x < 1.126 loose: x^2 < 1.575, x^4 < 2.124, x^5 < 2.084, x^3 < 1.804, all
//! below R = 2.207 p. x^6 is formed of an x^4 from which p was subtracted where possible, so
//! below 1.125, and x^2, and is below 1.803; x^7 is below 1.920.
//!
//! An operand is a loose element, or the output of an S-box to which p can be added within R. For c < 0.26 that is
//! any output: x^2 < 1.331, x^4 < 1.461, x^5 < 1.428, x^3 < 1.390, x^7 < 1.390, and 2.428 p < 0.64 R. For larger c p is
//! subtracted where possible, which leaves less than 1.084. So operands are below 1.126 for larger c and below
//! 1.428 for c < 0.26.
//!
//! A pair (a + x) (b + y) without x y is a b + a y + b x, never negative and below 1 + 2 * 1.126 = 3.252 (1 + 2 *
//! 1.428 = 3.856) in units of p^2. So 11 pairs, a canonical and a loose element times R, an output that is added to the
//! quotient, and 1 from the reduction are below 11 * 3.252 * 0.4531 + 1 + 1.126 + 1.126 + 1 = 20.5, and for c < 0.26
//! below 11 * 3.856 * 0.26 + 1 + 1.126 + 1.428 + 1 = 15.6. A sum of 16 products of a canonical factor and an operand,
//! with a loose element times R, is below 16 * 1.126 * 0.4531 + 1.126 + 1 = 10.3. All are below 32, which fits into
//! five limbs and is as much as the quotient of a reduction may be.

use ark_ff::{BigInt, Fp, MontBackend, MontConfig, PrimeField};

/// Four limbs, the least significant first.
pub(crate) type Limbs = [u64; 4];

/// Most products that a [`Sum`] may have.
pub(crate) const MAX_PRODUCTS: usize = 16;

/// Most pairs that it may have in their place.
pub(crate) const MAX_PAIRS: usize = 11;

/// The prime fields that the fast permutation works in: those with ark-ff's Montgomery form in
/// four limbs and a prime of 249 bits to 0.4531 * 2^256, checked when the code is compiled.
#[allow(private_interfaces)]
pub trait MontgomeryField: PrimeField {
    /// The prime.
    #[doc(hidden)]
    const PRIME: Limbs;
    /// -1/p modulo 2^64.
    #[doc(hidden)]
    const NEGATED_INVERSE: u64;
    /// The Montgomery form.
    #[doc(hidden)]
    fn into_limbs(self) -> Limbs;
    /// The element with this Montgomery form, which is below the prime.
    #[doc(hidden)]
    fn from_limbs(limbs: Limbs) -> Self;
}

#[allow(private_interfaces)]
impl<T: MontConfig<4>> MontgomeryField for Fp<MontBackend<T, 4>, 4> {
    const PRIME: Limbs = {
        let prime = T::MODULUS.0;
        // The bounds in the module's documentation.
        assert!(prime[3] >> 56 != 0 && prime[3] <= 0x73FD_F3B6_4598_0000);
        prime
    };
    const NEGATED_INVERSE: u64 = T::INV;

    #[inline(always)]
    fn into_limbs(self) -> Limbs {
        self.0.0
    }

    #[inline(always)]
    fn from_limbs(limbs: Limbs) -> Self {
        Self::new_unchecked(BigInt(limbs))
    }
}

/// Bits of the prime.
const fn bits(prime: &Limbs) -> u32 {
    256 - prime[3].leading_zeros()
}

/// `floor(2^(32 + bits - 4) / p)`, up to an error of 2^-20 of its value.
const fn reciprocal(prime: &Limbs) -> u64 {
    let shift = bits(prime) - 192;
    // The top 64 bits of p, rounded up: p < top * 2^(bits - 64). The shift is 57 to 63.
    let top = ((prime[3] << (64 - shift)) | (prime[2] >> shift)) as u128 + 1;
    // 2^(28 + bits) / (top * 2^(bits - 64)) = 2^92 / top
    ((1_u128 << 92) / top) as u64
}

/// A product that is not reduced.
pub(crate) type Product = [u64; 8];

/// A sum of products, and of elements times R, that is not reduced yet. On the way it may be negative, modulo 2^576.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum([u64; 9]);

impl Sum {
    /// The sum that reduces to `element`.
    #[inline(always)]
    pub(crate) fn new(element: &Limbs) -> Self {
        let [e0, e1, e2, e3] = *element;
        Self([0, 0, 0, 0, e0, e1, e2, e3, 0])
    }

    /// Adds an element times R.
    #[inline(always)]
    pub(crate) fn add_element(&mut self, element: &Limbs) {
        add_limbs(&mut self.0[4..], element);
    }

    /// Adds `a * b`.
    #[inline(always)]
    pub(crate) fn add_product(&mut self, a: &Limbs, b: &Limbs) {
        let sum = &mut self.0;
        let mut overflow = false;
        for i in 0..4 {
            let mut carry = 0;
            for j in 0..4 {
                (sum[i + j], carry) = a[i].carrying_mul_add(b[j], sum[i + j], carry);
            }
            (sum[i + 4], overflow) = sum[i + 4].carrying_add(carry, overflow);
        }
        sum[8] = sum[8].wrapping_add(u64::from(overflow));
    }

    /// Adds `(a + x) * (b + y)`, of operands as [`operand`] makes them and canonical coefficients `a` and `b`.
    #[inline(always)]
    pub(crate) fn add_pair(&mut self, a: &Limbs, x: &Limbs, b: &Limbs, y: &Limbs) {
        self.add_product(&operand_sum(a, x), &operand_sum(b, y));
    }

    /// Adds a product.
    #[inline(always)]
    pub(crate) fn add(&mut self, product: &Product) {
        add_limbs(&mut self.0, product);
    }

    /// Subtracts a product.
    #[inline(always)]
    pub(crate) fn subtract_product(&mut self, product: &Product) {
        subtract_limbs(&mut self.0, product);
    }

    /// Subtracts a sum.
    #[inline(always)]
    pub(crate) fn subtract(&mut self, other: &Self) {
        subtract_limbs(&mut self.0, &other.0);
    }

    /// Reduces to a loose element.
    #[inline(always)]
    pub(crate) fn reduce<F: MontgomeryField>(self) -> Limbs {
        self.divide::<F>().reduce::<F>()
    }

    /// Divides by R.
    #[inline(always)]
    pub(crate) fn divide<F: MontgomeryField>(mut self) -> Quotient {
        let prime = &F::PRIME;
        let sum = &mut self.0;
        let mut overflow = false;
        for i in 0..4 {
            let multiple = sum[i].wrapping_mul(F::NEGATED_INVERSE);
            let mut carry = 0;
            for j in 0..4 {
                (sum[i + j], carry) = multiple.carrying_mul_add(prime[j], sum[i + j], carry);
            }
            (sum[i + 4], overflow) = sum[i + 4].carrying_add(carry, overflow);
        }
        sum[8] = sum[8].wrapping_add(u64::from(overflow));
        Quotient([sum[4], sum[5], sum[6], sum[7], sum[8]])
    }
}

/// A sum divided by R, below 32 p.
pub(crate) struct Quotient([u64; 5]);

impl Quotient {
    /// Adds an element.
    #[inline(always)]
    pub(crate) fn add_element(&mut self, element: &Limbs) {
        add_limbs(&mut self.0, element);
    }

    /// Reduces to a loose element.
    #[inline(always)]
    pub(crate) fn reduce<F: MontgomeryField>(self) -> Limbs {
        // At most 2^9 units of 2^(bits - 4); the quotient is never too large, and too small by less
        // than 9/8 and the error of the reciprocal.
        let limbs = &self.0;
        debug_assert!(limbs[4] < 32);
        let shift = const { bits(&F::PRIME) - 4 - 192 };
        let units = (limbs[4] << (64 - shift)) | (limbs[3] >> shift);
        debug_assert!(units < 1 << 9);
        let quotient = (units * const { reciprocal(&F::PRIME) }) >> 32;
        let mut limbs = [limbs[0], limbs[1], limbs[2], limbs[3]];
        let mut carry = 0;
        let mut borrow = false;
        for (limb, prime) in limbs.iter_mut().zip(&F::PRIME) {
            let product;
            (product, carry) = quotient.carrying_mul(*prime, carry);
            (*limb, borrow) = limb.borrowing_sub(product, borrow);
        }
        limbs
    }
}

/// `sum += other`, modulo the size of `sum`, which is not shorter.
#[inline(always)]
fn add_limbs(sum: &mut [u64], other: &[u64]) {
    let mut overflow = false;
    for (i, limb) in sum.iter_mut().enumerate() {
        let other = other.get(i).copied().unwrap_or(0);
        (*limb, overflow) = limb.carrying_add(other, overflow);
    }
}

/// `difference -= other`, modulo the size of `difference`, which is not shorter.
#[inline(always)]
fn subtract_limbs(difference: &mut [u64], other: &[u64]) {
    let mut borrow = false;
    for (i, limb) in difference.iter_mut().enumerate() {
        let other = other.get(i).copied().unwrap_or(0);
        (*limb, borrow) = limb.borrowing_sub(other, borrow);
    }
}

/// A loose element or the output of an S-box as an operand: so small that a canonical factor can be added to it
/// within four limbs.
#[inline(always)]
pub(crate) fn operand<F: MontgomeryField>(x: &Limbs) -> Limbs {
    // 0x42 / 2^8 < 0.26
    if const { F::PRIME[3] >> 56 < 0x42 } {
        *x
    } else {
        subtract_prime::<F>(x)
    }
}

/// `a + b` without a reduction.
#[inline(always)]
fn operand_sum(a: &Limbs, b: &Limbs) -> Limbs {
    let mut sum = *a;
    let mut overflow = false;
    for (limb, other) in sum.iter_mut().zip(b) {
        (*limb, overflow) = limb.carrying_add(*other, overflow);
    }
    debug_assert!(!overflow);
    sum
}

/// `a * b` without a reduction.
#[inline(always)]
pub(crate) fn product(a: &Limbs, b: &Limbs) -> Product {
    let mut product = [0; 8];
    for i in 0..4 {
        let mut carry = 0;
        for j in 0..4 {
            (product[i + j], carry) = a[i].carrying_mul_add(b[j], product[i + j], carry);
        }
        product[i + 4] = carry;
    }
    product
}

/// Reduces a product to four limbs; the module's documentation has the bounds.
#[inline(always)]
fn reduce_product<F: MontgomeryField>(mut product: [u64; 8]) -> Limbs {
    let prime = &F::PRIME;
    let mut overflow = false;
    for i in 0..4 {
        let multiple = product[i].wrapping_mul(F::NEGATED_INVERSE);
        let mut carry = 0;
        for j in 0..4 {
            (product[i + j], carry) = multiple.carrying_mul_add(prime[j], product[i + j], carry);
        }
        (product[i + 4], overflow) = product[i + 4].carrying_add(carry, overflow);
    }
    [product[4], product[5], product[6], product[7]]
}

/// Montgomery product; the module's documentation has the bounds.
#[inline(always)]
pub(crate) fn multiply<F: MontgomeryField>(a: &Limbs, b: &Limbs) -> Limbs {
    reduce_product::<F>(product(a, b))
}

/// Montgomery square; the module's documentation has the bounds.
#[inline(always)]
pub(crate) fn square<F: MontgomeryField>(a: &Limbs) -> Limbs {
    let mut product = [0; 8];
    for i in 0..3 {
        let mut carry = 0;
        for j in i + 1..4 {
            (product[i + j], carry) = a[i].carrying_mul_add(a[j], product[i + j], carry);
        }
        product[i + 4] = carry;
    }
    for i in (1..8).rev() {
        product[i] = (product[i] << 1) | (product[i - 1] >> 63);
    }
    let mut overflow = false;
    for i in 0..4 {
        let (low, high) = a[i].carrying_mul(a[i], 0);
        (product[2 * i], overflow) = product[2 * i].carrying_add(low, overflow);
        (product[2 * i + 1], overflow) = product[2 * i + 1].carrying_add(high, overflow);
    }
    reduce_product::<F>(product)
}

/// Subtracts the prime where that leaves no negative number.
#[inline(always)]
pub(crate) fn subtract_prime<F: MontgomeryField>(a: &Limbs) -> Limbs {
    let mut difference = [0; 4];
    let mut borrow = false;
    for ((difference, &a), prime) in difference.iter_mut().zip(a).zip(F::PRIME) {
        (*difference, borrow) = a.borrowing_sub(prime, borrow);
    }
    if borrow { *a } else { difference }
}

/// `x^alpha` of a loose element, for any `alpha` beyond 1.
#[inline(always)]
pub(crate) fn power<F: MontgomeryField>(x: &Limbs, alpha: u64) -> Limbs {
    if !matches!(alpha, 3 | 5 | 7) {
        return any_power::<F>(x, alpha);
    }
    let mut factor = square::<F>(x);
    if alpha != 3 {
        let fourth = square::<F>(&factor);
        factor = if alpha == 5 {
            fourth
        } else {
            multiply::<F>(&subtract_prime::<F>(&fourth), &factor)
        };
    }
    multiply::<F>(&factor, x)
}

/// The same by squares and products, bit by bit.
#[inline(never)]
fn any_power<F: MontgomeryField>(x: &Limbs, alpha: u64) -> Limbs {
    let mut power = *x;
    for bit in (0..alpha.ilog2()).rev() {
        power = square::<F>(&subtract_prime::<F>(&power));
        if alpha >> bit & 1 == 1 {
            power = multiply::<F>(&subtract_prime::<F>(&power), x);
        }
    }
    power
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;
    use crate::fields::{Bls12_377, Bls12_381, Bn254, Pallas, Starknet, Vesta};

    fn integer(limbs: &[u64]) -> BigUint {
        let digits = limbs
            .iter()
            .flat_map(|limb| [*limb as u32, (limb >> 32) as u32]);
        BigUint::new(digits.collect())
    }

    /// `thousandths` of the prime.
    fn multiple(prime: &BigUint, thousandths: u32) -> Limbs {
        let digits = (prime * thousandths / 1000_u32).to_u64_digits();
        std::array::from_fn(|i| digits.get(i).copied().unwrap_or(0))
    }

    /// `reduced` is loose, and `value` / R modulo the prime.
    fn assert_reduces<F: MontgomeryField>(reduced: &Limbs, value: &BigUint) {
        let prime = integer(&F::PRIME);
        let reduced = integer(reduced);
        assert_eq!((&reduced << 256) % &prime, value % &prime);
        assert!(reduced * 1000_u32 < prime * 1126_u32);
    }

    /// Sums of the largest coefficients and operands; debug assertions check what is between.
    fn largest_sums<F: MontgomeryField>(largest_output: u32) {
        let prime = integer(&F::PRIME);
        let coefficient = (-F::ONE).into_limbs();
        let coefficients = [coefficient, multiple(&prime, 999), Limbs::default()];
        let outputs = [0, 999, largest_output].map(|thousandths| multiple(&prime, thousandths));
        for (a, b) in coefficients
            .iter()
            .flat_map(|a| coefficients.iter().map(move |b| (a, b)))
        {
            for (x, y) in outputs.iter().flat_map(|x| {
                let loose = [0, 1000, 1125].map(|thousandths| multiple(&prime, thousandths));
                loose.map(|y| (x, y))
            }) {
                let (ai, bi, xi, yi) = (integer(a), integer(b), integer(x), integer(&y));
                for count in 0..=MAX_PAIRS {
                    let mut sum = Sum::new(a);
                    sum.add_element(&y);
                    let mut common = Sum::default();
                    for _ in 0..count {
                        common.add(&product(x, &y));
                    }
                    common.add_product(x, &y);
                    common.subtract_product(&product(x, &y));
                    sum.subtract(&common);
                    for _ in 0..count {
                        sum.add_pair(a, x, b, &y);
                    }
                    let mut quotient = sum.divide::<F>();
                    quotient.add_element(x);
                    let pairs = (&ai * &bi + &ai * &yi + &bi * &xi) * count;
                    let value = ((&ai + &yi + &xi) << 256) + pairs;
                    assert_reduces::<F>(&quotient.reduce::<F>(), &value);
                }
                let mut sum = Sum::new(&y);
                for _ in 0..MAX_PRODUCTS {
                    sum.add_product(a, x);
                }
                let value = (&yi << 256) + &ai * &xi * MAX_PRODUCTS;
                assert_reduces::<F>(&sum.reduce::<F>(), &value);
            }
        }
    }

    #[test]
    fn largest_sums_of_every_field() {
        largest_sums::<Bls12_381>(1126);
        largest_sums::<Bls12_377>(1428);
        largest_sums::<Bn254>(1428);
        largest_sums::<Pallas>(1428);
        largest_sums::<Vesta>(1428);
        largest_sums::<Starknet>(1428);
    }

    /// The outputs of the S-box for the largest loose elements are operands.
    fn largest_operands<F: MontgomeryField>(largest_output: u32) {
        let prime = integer(&F::PRIME);
        for thousandths in (0..=1125).step_by(25).chain(1100..=1125) {
            for alpha in [3, 5, 7, 11, 17, 64, 91] {
                let x = multiple(&prime, thousandths);
                let output = operand::<F>(&power::<F>(&x, alpha));
                let exponent = u32::try_from(alpha).unwrap();
                let expected = integer(&x).pow(exponent) % &prime;
                let actual = (integer(&output) << (256 * (exponent - 1))) % &prime;
                assert_eq!(actual, expected);
                assert!(integer(&output) * 1000_u32 < &prime * largest_output);
            }
        }
    }

    #[test]
    fn largest_operands_of_every_field() {
        largest_operands::<Bls12_381>(1084);
        largest_operands::<Bls12_377>(1428);
        largest_operands::<Bn254>(1428);
        largest_operands::<Pallas>(1428);
        largest_operands::<Vesta>(1428);
        largest_operands::<Starknet>(1428);
    }
}
