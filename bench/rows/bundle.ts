import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { exactResult, type Row } from '../row.js';

const NOTE = 'both programs, plugin and bridge; the libraries are 210 kB of it';

/** The size of what Obsidian and OpenCode load. Needs `npm run build`. */
export function bundleRows(): Row[] {
  const main = () => readFileSync('main.js');
  return [
    {
      name: 'bundle',
      against: '-',
      target: 1_000_000,
      unit: 'bytes',
      note: NOTE,
      measure: () => exactResult(main().length),
    },
    {
      name: 'bundle.gzip',
      against: '-',
      target: 340_000,
      unit: 'bytes',
      note: NOTE,
      measure: () => exactResult(gzipSync(main()).length),
    },
  ];
}
