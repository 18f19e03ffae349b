import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { exactly, type Row } from '../row.js';

const NOTE =
  'the libraries are 130 kB of it; the rest is what boards, sessions, note tools, permissions, audit and their views do, most of it sentences and small functions';

/** The size of what Obsidian loads, less the text of the bridge that it carries. Needs `npm run build`. */
export function bundleRows(): Row[] {
  const main = () => readFileSync('main.js');
  const bridge = () => readFileSync('dist/bridge.js');
  return [
    {
      name: 'bundle',
      against: '-',
      target: 420_000,
      unit: 'bytes',
      note: NOTE,
      measure: () => exactly(main().length - bridge().length),
    },
    {
      name: 'bundle.gzip',
      against: '-',
      target: 130_000,
      unit: 'bytes',
      note: NOTE,
      measure: () => exactly(gzipSync(main()).length - gzipSync(bridge()).length),
    },
  ];
}
