//! NVIDIA's driver, found when it is asked for: a device, its memory, and calls of what runs there.

use crate::unsupported::Unsupported;
use libloading::{Library, Symbol};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::rc::Rc;

#[cfg(windows)]
const NAMES: [&str; 1] = ["nvcuda.dll"];
#[cfg(not(windows))]
const NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

type Handle = *mut c_void;
/// A place in the memory of the device.
type Address = u64;

/// What `cuDeviceGetAttribute` is asked for.
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;

/// The first device, ready to be used from this thread.
pub(super) struct Device {
    library: Library,
    device: c_int,
    /// Its compute capability.
    pub capability: (c_int, c_int),
    /// Contexts belong to threads.
    thread: PhantomData<*const ()>,
}

/// Code on the device.
pub(super) struct Kernel {
    device: Rc<Device>,
    module: Handle,
    function: Handle,
}

/// Numbers on the device.
pub(super) struct Buffer<T> {
    device: Rc<Device>,
    address: Address,
    length: usize,
    of: PhantomData<T>,
}

impl Device {
    /// # Errors
    /// No driver, or no device, in words.
    pub fn first() -> Result<Device, Unsupported> {
        // SAFETY: the driver has no initialisers that ask anything of its user.
        let found = NAMES
            .iter()
            .find_map(|name| unsafe { Library::new(*name) }.ok());
        let mut device = Device {
            library: found.ok_or("there is no NVIDIA driver on this machine")?,
            device: 0,
            capability: (0, 0),
            thread: PhantomData,
        };
        let mut context: Handle = ptr::null_mut();
        type Attribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int;
        type Retain = unsafe extern "C" fn(*mut Handle, c_int) -> c_int;
        // SAFETY: the signatures are those of the driver's documentation, and the places written to live through the
        // calls.
        unsafe {
            device.check(
                "cuInit",
                device.get::<unsafe extern "C" fn(c_uint) -> c_int>("cuInit")?(0),
            )?;
            let get =
                device.get::<unsafe extern "C" fn(*mut c_int, c_int) -> c_int>("cuDeviceGet")?;
            let mut first = 0;
            device.check("cuDeviceGet", get(&raw mut first, 0))?;
            let attribute = device.get::<Attribute>("cuDeviceGetAttribute")?;
            let (mut major, mut minor) = (0, 0);
            for (value, name) in [
                (&mut major, CAPABILITY_MAJOR),
                (&mut minor, CAPABILITY_MINOR),
            ] {
                device.check("cuDeviceGetAttribute", attribute(value, name, first))?;
            }
            let retain = device.get::<Retain>("cuDevicePrimaryCtxRetain")?;
            device.check("cuDevicePrimaryCtxRetain", retain(&raw mut context, first))?;
            let current = device.get::<unsafe extern "C" fn(Handle) -> c_int>("cuCtxSetCurrent")?;
            device.check("cuCtxSetCurrent", current(context))?;
            (device.device, device.capability) = (first, (major, minor));
        }
        Ok(device)
    }

    /// A function of the driver.
    ///
    /// # Safety
    /// It must have this signature.
    unsafe fn get<T>(&self, name: &str) -> Result<Symbol<'_, T>, Unsupported> {
        // SAFETY: as the caller promises.
        let found = unsafe { self.library.get::<T>(name.as_bytes()) };
        found.map_err(|error| Unsupported(format!("the driver of NVIDIA lacks {name}: {error}")))
    }

    fn check(&self, what: &str, answer: c_int) -> Result<(), Unsupported> {
        if answer == 0 {
            return Ok(());
        }
        type Words = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;
        let mut words = ptr::null();
        // SAFETY: the signature is that of `cuGetErrorString`, which gives a text that lives on, or none.
        let words = unsafe {
            self.get::<Words>("cuGetErrorString")?(answer, &raw mut words);
            (!words.is_null()).then(|| CStr::from_ptr(words).to_string_lossy().into_owned())
        };
        let words = words.unwrap_or_else(|| format!("error {answer}"));
        Err(Unsupported(format!("the GPU failed, {what}: {words}")))
    }

    /// Waits until all that was asked for is done.
    ///
    /// # Errors
    /// What failed, in words.
    pub fn wait(&self) -> Result<(), Unsupported> {
        // SAFETY: the signature is that of `cuCtxSynchronize`.
        let answer = unsafe { self.get::<unsafe extern "C" fn() -> c_int>("cuCtxSynchronize")?() };
        self.check("cuCtxSynchronize", answer)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the signature is that of the driver; the context was retained once.
        unsafe {
            if let Ok(release) =
                self.get::<unsafe extern "C" fn(c_int) -> c_int>("cuDevicePrimaryCtxRelease_v2")
            {
                release(self.device);
            }
        }
    }
}

impl Kernel {
    /// Loads machine code.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(device: &Rc<Device>, code: &[u8], name: &CStr) -> Result<Kernel, Unsupported> {
        type Load = unsafe extern "C" fn(*mut Handle, *const c_void) -> c_int;
        type Function = unsafe extern "C" fn(*mut Handle, Handle, *const c_char) -> c_int;
        let mut kernel = Kernel {
            device: Rc::clone(device),
            module: ptr::null_mut(),
            function: ptr::null_mut(),
        };
        // SAFETY: the signatures are those of the driver, and the code is a whole one that the compiler made.
        unsafe {
            let load = device.get::<Load>("cuModuleLoadData")?;
            device.check(
                "cuModuleLoadData",
                load(&raw mut kernel.module, code.as_ptr().cast()),
            )?;
            let find = device.get::<Function>("cuModuleGetFunction")?;
            let found = find(&raw mut kernel.function, kernel.module, name.as_ptr());
            device.check("cuModuleGetFunction", found)?;
        }
        Ok(kernel)
    }

    /// Runs it in so many blocks of threads, with one argument.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Safety
    /// The argument must be what the kernel expects, and its addresses must be those of buffers that are long enough.
    pub unsafe fn launch<T>(
        &self,
        blocks: u32,
        threads: u32,
        argument: &T,
    ) -> Result<(), Unsupported> {
        type Launch = unsafe extern "C" fn(
            Handle,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            Handle,
            *mut *mut c_void,
            *mut *mut c_void,
        ) -> c_int;
        let mut arguments = [ptr::from_ref(argument).cast_mut().cast::<c_void>()];
        // SAFETY: the signature is that of the driver, which copies the argument and does not write to it.
        let answer = unsafe {
            self.device.get::<Launch>("cuLaunchKernel")?(
                self.function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                ptr::null_mut(),
                arguments.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        self.device.check("cuLaunchKernel", answer)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: the signature is that of the driver; nothing runs any more, for every launch is waited for.
        unsafe {
            if let Ok(unload) = self
                .device
                .get::<unsafe extern "C" fn(Handle) -> c_int>("cuModuleUnload")
            {
                unload(self.module);
            }
        }
    }
}

impl<T: Copy> Buffer<T> {
    /// Room for so many numbers.
    ///
    /// # Errors
    /// The device has not so much memory.
    pub fn new(device: &Rc<Device>, length: usize) -> Result<Buffer<T>, Unsupported> {
        let mut address = 0;
        let bytes = (length * size_of::<T>()).max(1);
        // SAFETY: the signature is that of the driver.
        let answer = unsafe {
            type Allocate = unsafe extern "C" fn(*mut Address, usize) -> c_int;
            device.get::<Allocate>("cuMemAlloc_v2")?(&raw mut address, bytes)
        };
        device.check("cuMemAlloc", answer)?;
        Ok(Buffer {
            device: Rc::clone(device),
            address,
            length,
            of: PhantomData,
        })
    }

    /// Where it is.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Copies numbers there.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Panics
    /// Where there are more than it has room for.
    pub fn write(&self, numbers: &[T]) -> Result<(), Unsupported> {
        assert!(numbers.len() <= self.length);
        // SAFETY: the signature is that of the driver; there is room for so many.
        let answer = unsafe {
            type Copy = unsafe extern "C" fn(Address, *const c_void, usize) -> c_int;
            let copy = self.device.get::<Copy>("cuMemcpyHtoD_v2")?;
            copy(self.address, numbers.as_ptr().cast(), size_of_val(numbers))
        };
        self.device.check("cuMemcpyHtoD", answer)
    }

    /// Copies numbers from there.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Panics
    /// Where more are wanted than there are.
    pub fn read(&self, numbers: &mut [T]) -> Result<(), Unsupported> {
        assert!(numbers.len() <= self.length);
        // SAFETY: the signature is that of the driver; there are so many, of a type without invalid values.
        let answer = unsafe {
            type Copy = unsafe extern "C" fn(*mut c_void, Address, usize) -> c_int;
            let copy = self.device.get::<Copy>("cuMemcpyDtoH_v2")?;
            copy(
                numbers.as_mut_ptr().cast(),
                self.address,
                size_of_val(numbers),
            )
        };
        self.device.check("cuMemcpyDtoH", answer)
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        // SAFETY: the signature is that of the driver; the address is that of this buffer.
        unsafe {
            if let Ok(free) = self
                .device
                .get::<unsafe extern "C" fn(Address) -> c_int>("cuMemFree_v2")
            {
                free(self.address);
            }
        }
    }
}
