import { chromium, type Browser } from 'playwright-core';
import { chromiumArgs } from '../../workbench/demo/chromium-args';
import { ensureChromium } from '../../workbench/demo/install-chromium';

let shared: Promise<Browser> | undefined;

/** The Chromium of this worker: its test files share it, each with its own context. */
export function openBrowser(): Promise<Browser> {
  shared ??= launch();
  return shared;
}

async function launch(): Promise<Browser> {
  const executablePath = await ensureChromium((line) => process.stderr.write(`${line}\n`));
  return chromium.launch({ executablePath, args: chromiumArgs() });
}
