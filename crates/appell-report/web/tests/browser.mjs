// The system's browsers; nothing is downloaded.
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** How long is waited for what comes, in milliseconds: a loaded machine is slow, and a fault is told all the same. */
export const PATIENCE = 600_000;

/** Firefox where FIREFOX says where it is, else Chromium. */
export async function launch() {
  if (process.env.FIREFOX) {
    const size = ["--width=1280", "--height=900"];
    return puppeteer.launch({ browser: "firefox", executablePath: process.env.FIREFOX, headless: true, args: size, defaultViewport: null });
  }
  const executablePath = process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place));
  if (!executablePath) throw new Error("there is no Chromium: install it, or say where it is in CHROMIUM");
  // A container's root may not use the sandbox; pages are our own files.
  const args = ["--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return puppeteer.launch({ executablePath, args, headless: true, protocolTimeout: PATIENCE });
}

/** Gives a page its size. Firefox 140 cannot turn its screen, which the library asks of it with each size. */
export async function resize(page, size) {
  await page.setViewport(size).catch((error) => {
    if (!error.message.includes("setScreenOrientationOverride")) throw error;
  });
}

/** In Firefox the library waits for a function by an eval in the page, which pages forbid: here by asking again. */
export function patient(page) {
  if (!process.env.FIREFOX) return;
  page.waitForFunction = async (holds, { timeout }, ...given) => {
    const end = Date.now() + timeout;
    while (!(await page.evaluate(holds, ...given))) {
      if (Date.now() > end) throw new Error(`it never held: ${holds}`);
      await new Promise((done) => setTimeout(done, 30));
    }
  };
}
