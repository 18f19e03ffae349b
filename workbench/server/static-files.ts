import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

const MIME: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
};

export const mimeOf = (path: string): string => MIME[extname(path)] ?? 'application/octet-stream';

/** The file on disk for a URL of the page. */
export function staticFile(
  address: string,
  folders: { assets: string; plugin: string },
): string | undefined {
  const asset = /^\/((?:page|blocking-worker)\.js|style\.css|(?:page\.js|style\.css)\.map)$/.exec(
    address,
  );
  if (asset?.[1] !== undefined) return join(folders.assets, asset[1]);
  const shipped = /^\/plugin\/(main\.js|styles\.css|manifest\.json)$/.exec(address);
  if (shipped?.[1] !== undefined) return join(folders.plugin, shipped[1]);
  return undefined;
}

/** The bytes, or undefined if there is no such file. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
