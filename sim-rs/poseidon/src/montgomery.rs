//! Field arithmetic with late reduction, for the hot path of the permutation.
//!
//! Elements are four 64-bit limbs in the Montgomery form that ark-ff uses (R = 2^256), but need
//! not be canonical: an element is *loose* when it is below 9/8 p + 2^-20 p. Sums of products are
//! added up in 576 bits and reduced once.
//!
//! Bounds, in units of p, for p <= 0.4531 R. A Montgomery reduction of a value V gives less than
//! V / (R p) + 1. With x < 1.126 loose: x^2 < 1.575, x^4 < 2.124, x^5 < 2.084, x^3 < 1.804, all
//! below R = 2.207 p. x^6 is formed of an x^4 from which p was subtracted where possible, so
//! below 1.125, and x^2, and is below 1.803; x^7 is below 1.920. A sum of 16 products of a canonical factor and an
//! S-box output, plus a loose element times R, is below 16 * 2.084 * 0.4531 + 1.126 + 1 = 17.3
//! after the reduction, which fits into five limbs.

use ark_ff::{BigInt, Fp, MontBackend, MontConfig, PrimeField};

/// Four limbs, the least significant first.
pub(crate) type Limbs = [u64; 4];

/// Most products that a [`Sum`] may have.
pub(crate) const MAX_PRODUCTS: usize = 16;

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

/// A sum of products, and of elements times R, that is not reduced yet.
#[derive(Clone, Copy)]
pub(crate) struct Sum([u64; 9]);

impl Sum {
    /// The sum that reduces to `element`.
    #[inline(always)]
    pub(crate) fn new(element: &Limbs) -> Self {
        let [e0, e1, e2, e3] = *element;
        Self([0, 0, 0, 0, e0, e1, e2, e3, 0])
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
        sum[8] += u64::from(overflow);
    }

    /// Reduces to a loose element.
    #[inline(always)]
    pub(crate) fn reduce<F: MontgomeryField>(mut self) -> Limbs {
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
        sum[8] += u64::from(overflow);

        // At most 2^9 units of 2^(bits - 4); the quotient is never too large, and too small by less
        // than 9/8 and the error of the reciprocal.
        let shift = const { bits(&F::PRIME) - 4 - 192 };
        let units = (sum[8] << (64 - shift)) | (sum[7] >> shift);
        let quotient = (units * const { reciprocal(&F::PRIME) }) >> 32;
        let mut limbs = [sum[4], sum[5], sum[6], sum[7]];
        let mut carry = 0;
        let mut borrow = false;
        for (limb, prime) in limbs.iter_mut().zip(prime) {
            let product;
            (product, carry) = quotient.carrying_mul(*prime, carry);
            (*limb, borrow) = limb.borrowing_sub(product, borrow);
        }
        limbs
    }
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
    let mut product = [0; 8];
    for i in 0..4 {
        let mut carry = 0;
        for j in 0..4 {
            (product[i + j], carry) = a[i].carrying_mul_add(b[j], product[i + j], carry);
        }
        product[i + 4] = carry;
    }
    reduce_product::<F>(product)
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

/// `x^alpha` of a loose element, `alpha` 3, 5 or 7: a factor for a [`Sum`].
#[inline(always)]
pub(crate) fn power<F: MontgomeryField>(x: &Limbs, alpha: u64) -> Limbs {
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
