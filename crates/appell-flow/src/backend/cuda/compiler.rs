//! NVIDIA's compiler of CUDA C, found when it is asked for.

use crate::unsupported::Unsupported;
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

/// A variable with the path of the library, for one that the system's loader does not know.
const VARIABLE: &str = "APPELL_NVRTC";
/// What the library is called.
#[cfg(windows)]
const NAMES: [&str; 2] = ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"];
#[cfg(not(windows))]
const NAMES: [&str; 4] = [
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "libnvrtc.so.11.2",
    "libnvrtc.so",
];

type Handle = *mut c_void;
type Sized = unsafe extern "C" fn(Handle, *mut usize) -> c_int;
type Filled = unsafe extern "C" fn(Handle, *mut c_char) -> c_int;

/// NVRTC, loaded.
pub(super) struct Compiler {
    library: Library,
    /// Its version.
    pub version: (c_int, c_int),
}

/// Machine code of a device, and what the compiler says of it.
pub(super) struct Compiled {
    pub code: Vec<u8>,
    #[cfg_attr(
        not(test),
        allow(dead_code, reason = "registers and spills, for tests")
    )]
    pub said: String,
}

impl Compiler {
    /// # Errors
    /// There is none, in words.
    pub fn load() -> Result<Compiler, Unsupported> {
        let named = std::env::var(VARIABLE).ok();
        let names: Vec<&str> = named.as_deref().map_or(NAMES.to_vec(), |name| vec![name]);
        // SAFETY: the library of NVIDIA has no initialisers that ask anything of its user.
        let found = names
            .iter()
            .find_map(|name| unsafe { Library::new(*name) }.ok());
        let library = found.ok_or_else(|| {
            format!(
                "no compiler for GPUs, {}: install NVIDIA's NVRTC, or name its library in the variable {VARIABLE}",
                names.join(", ")
            )
        })?;
        let mut compiler = Compiler {
            library,
            version: (0, 0),
        };
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the signature is that of `nvrtcVersion`.
        compiler.check("nvrtcVersion", unsafe {
            compiler.get::<unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>("nvrtcVersion")?(
                &raw mut major,
                &raw mut minor,
            )
        })?;
        compiler.version = (major, minor);
        Ok(compiler)
    }

    /// A function of the library.
    ///
    /// # Safety
    /// It must have this signature.
    unsafe fn get<T>(&self, name: &str) -> Result<Symbol<'_, T>, Unsupported> {
        // SAFETY: as the caller promises.
        let found = unsafe { self.library.get::<T>(name.as_bytes()) };
        found.map_err(|error| Unsupported(format!("the compiler for GPUs lacks {name}: {error}")))
    }

    fn check(&self, what: &str, answer: c_int) -> Result<(), Unsupported> {
        if answer == 0 {
            return Ok(());
        }
        type Words = unsafe extern "C" fn(c_int) -> *const c_char;
        // SAFETY: the signature is that of `nvrtcGetErrorString`, which gives a text that lives on.
        let words = unsafe {
            let words = self.get::<Words>("nvrtcGetErrorString")?(answer);
            CStr::from_ptr(words).to_string_lossy().into_owned()
        };
        Err(Unsupported(format!(
            "the compiler for GPUs failed, {what}: {words}"
        )))
    }

    /// Compiles a source for devices of this compute capability.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn compile(
        &self,
        source: &str,
        (major, minor): (c_int, c_int),
    ) -> Result<Compiled, Unsupported> {
        type Create = unsafe extern "C" fn(
            *mut Handle,
            *const c_char,
            *const c_char,
            c_int,
            *const *const c_char,
            *const *const c_char,
        ) -> c_int;
        type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> c_int;
        type Destroy = unsafe extern "C" fn(*mut Handle) -> c_int;
        let text = |text: &str| CString::new(text).map_err(|_| "a source with a zero".to_owned());
        let source = text(source)?;
        let architecture = format!("--gpu-architecture=sm_{major}{minor}");
        let all = [architecture.as_str(), "--std=c++17", "--ptxas-options=-v"];
        let all: Vec<CString> = all.into_iter().map(text).collect::<Result<_, _>>()?;
        let all: Vec<*const c_char> = all.iter().map(|option| option.as_ptr()).collect();
        let mut program = ptr::null_mut();
        // SAFETY: the signatures are those of NVRTC's documentation; texts end in zeros and outlive the calls; the
        // buffers have the sizes that the library names.
        unsafe {
            let created = self.get::<Create>("nvrtcCreateProgram")?(
                &raw mut program,
                source.as_ptr(),
                c"members.cu".as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            );
            self.check("nvrtcCreateProgram", created)?;
            let answer = self.get::<Compile>("nvrtcCompileProgram")?(
                program,
                all.len() as c_int,
                all.as_ptr(),
            );
            let said = self.bytes(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?;
            let said = String::from_utf8_lossy(&said)
                .trim_end_matches('\0')
                .to_owned();
            let code = match self.check("nvrtcCompileProgram", answer) {
                Ok(()) => self.bytes(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN"),
                Err(why) => Err(Unsupported(format!("{why}: {said}"))),
            };
            self.get::<Destroy>("nvrtcDestroyProgram")?(&raw mut program);
            Ok(Compiled { code: code?, said })
        }
    }

    /// # Safety
    /// The names must be those of functions that give the size of a text, and the text.
    unsafe fn bytes(
        &self,
        program: Handle,
        size: &str,
        text: &str,
    ) -> Result<Vec<u8>, Unsupported> {
        let mut length = 0;
        // SAFETY: as the caller promises.
        unsafe {
            self.check(size, self.get::<Sized>(size)?(program, &raw mut length))?;
            let mut bytes = vec![0u8; length];
            let buffer = bytes.as_mut_ptr().cast();
            self.check(text, self.get::<Filled>(text)?(program, buffer))?;
            Ok(bytes)
        }
    }
}
