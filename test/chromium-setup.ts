import { ensureChromium } from '../workbench/demo/install-chromium';

/** Installs Chromium if it is missing, once, before two test files need it at the same time. */
export async function setup(): Promise<void> {
  await ensureChromium((line) => process.stderr.write(`${line}\n`));
}
