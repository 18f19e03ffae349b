import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { chromium, type Page } from 'playwright-core';
import { ensureChromium, isRoot } from '../../workbench/demo/install-chromium.js';

const PAGE = 'http://localhost/view';

/** Runs the work in Chromium, on a page with one script and the plugin's styles, and closes it. */
export async function inChromium<T>(
  program: string,
  style: string,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const executablePath = await ensureChromium((line) => process.stderr.write(`${line}\n`));
  const browser = await chromium.launch({
    executablePath,
    args: isRoot() ? ['--no-sandbox'] : [],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1_600, height: 1_000 } });
    const body = await document(program, style);
    // Browsers provide `crypto.randomUUID` only on a secure origin, so the page gets an address.
    await page.route(PAGE, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(PAGE);
    return await work(page);
  } finally {
    await browser.close();
  }
}

async function document(program: string, more: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['obsidian'],
  });
  const style = await readFile('styles.css', 'utf8');
  // The views' modules extend classes of the app that no row uses.
  const app = 'window.require = () => new Proxy({}, { get: () => function () {} });';
  return `<!doctype html><style>${style}${more}</style><body><script>${app}</script><script>${outputFiles[0]?.text ?? ''}</script>`;
}
