//! Bounds of parameter sets, and checks of numbers against them.

/// Smallest state width that a parameter set can have.
pub const MIN_WIDTH: usize = 2;

/// Largest state width that a parameter set over a large prime can have.
pub const MAX_WIDTH: usize = 12;

/// Largest state width that one over a prime of 64 bits can have.
pub const MAX_SMALL_WIDTH: usize = 24;

/// Largest number of rounds of each kind: the Grain LFSR is seeded with 10 bits of it.
pub const MAX_ROUNDS: usize = 1023;

/// Most elements of a digest over a prime of 64 bits; over larger primes a digest is one element.
pub const MAX_SMALL_DIGEST: usize = 4;

/// Elements of the widest state over a prime of so many bits.
pub const fn widest(bits: u32) -> usize {
    if bits <= 64 {
        MAX_SMALL_WIDTH
    } else {
        MAX_WIDTH
    }
}

/// Checks that states of `width` elements are supported, over a prime of so many bits.
///
/// # Errors
///
/// When they are not: what is wrong.
pub fn check_width(width: usize, bits: u32) -> Result<(), String> {
    let widest = widest(bits);
    if (MIN_WIDTH..=widest).contains(&width) {
        return Ok(());
    }
    Err(format!(
        "its state width is {width}, widths from {MIN_WIDTH} to {widest} are supported over a prime of {bits} bits"
    ))
}

/// Checks the number of rounds: at least 1 full round in each half, and not too many of a kind.
///
/// # Errors
///
/// What is wrong with them.
pub fn check_rounds(first: usize, partial: usize, last: usize) -> Result<(), String> {
    for (rounds, which) in [(first, "before"), (last, "after")] {
        if rounds == 0 {
            return Err(format!(
                "it has no full round {which} its partial rounds, at least 1 is needed"
            ));
        }
    }
    for (rounds, kind) in [(first.saturating_add(last), "full"), (partial, "partial")] {
        if rounds > MAX_ROUNDS {
            return Err(format!(
                "it has {rounds} {kind} rounds, at most {MAX_ROUNDS} are supported"
            ));
        }
    }
    Ok(())
}

/// Checks that `positions` are different elements of a state of `width`, and at least one; `what` they are.
///
/// # Errors
///
/// What is wrong with them.
pub fn check_positions(positions: &[usize], width: usize, what: &str) -> Result<(), String> {
    if positions.is_empty() {
        return Err(format!("it has no {what}; name at least one state element"));
    }
    for (number, &position) in positions.iter().enumerate() {
        if position >= width {
            return Err(format!(
                "{what} {number} is state element {position}, expected less than {width}, the \
                 state width"
            ));
        }
        if let Some(other) = positions[..number]
            .iter()
            .position(|&other| other == position)
        {
            return Err(format!(
                "{what} {other} and {what} {number} are both state element {position}, expected \
                 different ones"
            ));
        }
    }
    Ok(())
}
