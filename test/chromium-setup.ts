import { ensureChromium } from '../workbench/demo/install-chromium';

/** Installs Chromium where there is none, once and before two files need it at the same time. */
export async function setup(): Promise<void> {
  await ensureChromium((line) => process.stderr.write(`${line}\n`));
}
