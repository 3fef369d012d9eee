//! A device that several parts of a program use, one at a time.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::device::{Device, DeviceError};

/// A panic ended a computation of the device before the device did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the device was left in the middle of a computation by a panic of another part of the program; make a \
     new device"
)]
struct Abandoned;

/// A device that several parts of a program use, one at a time. Clones are the same device.
///
/// It can go to other threads if the device can: `SharedDevice<dyn Device + Send>` is any such device.
///
/// ```
/// use acclmt_driver::device::Device;
/// use acclmt_driver::shared::SharedDevice;
/// use acclmt_driver::software::SoftwareDevice;
///
/// let any: Box<dyn Device + Send> = Box::new(SoftwareDevice::new());
/// let device = SharedDevice::from(any);
/// let same = device.clone();
/// assert_eq!(same.lock()?.name(), "software");
/// # Ok::<(), acclmt_driver::error::DeviceError>(())
/// ```
pub struct SharedDevice<D: Device + ?Sized = dyn Device + Send>(Arc<Mutex<Box<D>>>);

impl<D: Device> SharedDevice<D> {
    /// Shares `device`.
    pub fn new(device: D) -> Self {
        Self::from(Box::new(device))
    }
}

impl<D: Device + ?Sized> SharedDevice<D> {
    /// The device, for one computation; waits until nobody else uses it.
    ///
    /// # Errors
    ///
    /// When a thread panicked while it used the device.
    pub fn lock(&self) -> Result<MutexGuard<'_, Box<D>>, DeviceError> {
        self.0.lock().map_err(|_| DeviceError::failed(Abandoned))
    }

    /// Whether both are the same device.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<D: Device + ?Sized> From<Box<D>> for SharedDevice<D> {
    fn from(device: Box<D>) -> Self {
        Self(Arc::new(Mutex::new(device)))
    }
}

impl<D: Device + ?Sized> Clone for SharedDevice<D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<D: Device + ?Sized> fmt::Debug for SharedDevice<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = formatter.debug_tuple("SharedDevice");
        match self.0.try_lock() {
            Ok(device) => tuple.field(&device.name()),
            Err(_) => tuple.field(&"in use"),
        };
        tuple.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::software::SoftwareDevice;
    use std::thread;

    #[test]
    fn clones_are_the_same_device() {
        let device = SharedDevice::new(SoftwareDevice::new());
        assert!(device.is(&device.clone()));
        assert!(!device.is(&SharedDevice::new(SoftwareDevice::new())));
        assert_eq!(format!("{device:?}"), "SharedDevice(\"software\")");
        let guard = device.lock().unwrap();
        assert_eq!(format!("{device:?}"), "SharedDevice(\"in use\")");
        drop(guard);
    }

    #[test]
    fn a_device_that_a_panic_left_is_refused() {
        let device = SharedDevice::new(SoftwareDevice::new());
        let other = device.clone();
        let panicked = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("on purpose");
        });
        assert!(panicked.join().is_err());
        let message = device.lock().err().unwrap().to_string();
        assert!(message.contains("middle of a computation"), "{message}");
    }
}
