//! The checksum of the constants that are loaded.

use crc32fast::Hasher;

use crate::registers;

/// Number of `CONSTANT_ADDRESS` in the checksum, behind those of the words of `CONSTANT_DATA`.
const ADDRESS_NUMBER: u8 = 8;

/// What [`CONSTANT_CHECKSUM`](registers::CONSTANT_CHECKSUM) is behind some writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConstantChecksum(u32);

impl ConstantChecksum {
    /// The checksum that a chip shows, to be carried on.
    pub fn from_register(value: u32) -> Self {
        Self(value)
    }

    /// The value of the register.
    pub fn value(self) -> u32 {
        self.0
    }

    /// Takes a write that acts; those of other registers than of constants change nothing.
    pub fn write(&mut self, address: u32, value: u32) {
        let data = &registers::CONSTANT_DATA;
        let number = if data.contains(address) {
            ((address - data.address) / data.stride()) as u8
        } else if address == registers::CONSTANT_ADDRESS.address {
            ADDRESS_NUMBER
        } else {
            return;
        };
        let mut hasher = Hasher::new_with_initial(self.0);
        hasher.update(&value.to_le_bytes());
        hasher.update(&[number]);
        self.0 = hasher.finalize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against values of Python's zlib.
    #[test]
    fn writes_are_summed_up_as_zlib_does() {
        let mut sum = ConstantChecksum::default();
        sum.write(registers::CONSTANT_DATA.at(5), 0x3433_3231);
        sum.write(registers::MODE.address, 1);
        // zlib.crc32(b"1234\x05")
        assert_eq!(sum.value(), 0xED2C_0AB0);
        sum.write(registers::CONSTANT_ADDRESS.address, 0x3837_3635);
        // zlib.crc32(b"1234\x055678\x08")
        assert_eq!(sum.value(), 0xE73E_7A1F);
        let mut behind = ConstantChecksum::from_register(sum.value());
        behind.write(registers::CONSTANT_DATA.at(0), 0);
        assert_ne!(behind, sum);
    }
}
