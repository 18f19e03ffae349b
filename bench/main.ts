/** `npm run bench [-- --json] [-- NAME…]`: runs every row (or those whose name begins so) and prints one table. */
import { parseArgs } from 'node:util';
import { busRows } from './rows/bus.js';
import { bundleRows } from './rows/bundle.js';
import { graphRows } from './rows/graph.js';
import { noteRows } from './rows/note.js';
import { wireRows } from './rows/wire.js';
import type { Row } from './row.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});

const rows: readonly Row[] = [
  ...busRows(),
  ...wireRows(),
  ...noteRows(),
  ...graphRows(),
  ...bundleRows(),
].filter(
  ({ name }) => positionals.length === 0 || positionals.some((wanted) => name.startsWith(wanted)),
);

const report: Record<string, object> = {};
for (const row of rows) {
  const measured = await row.measure();
  const ok = measured.ratio <= row.target;
  report[row.name] = {
    ...measured,
    target: row.target,
    ok,
    ...(row.unit && { unit: row.unit }),
    ...(!ok && row.note && { note: row.note }),
  };
  if (!values.json) process.stdout.write(line(row, measured, ok));
}
if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);

function line(
  row: Row,
  { ratio, p10, p90 }: Awaited<ReturnType<Row['measure']>>,
  ok: boolean,
): string {
  const digits = row.unit === 'bytes' ? 0 : 4;
  const figures = `${ratio.toFixed(digits)} (${p10.toFixed(digits)}–${p90.toFixed(digits)})`;
  const verdict = ok ? 'met' : `missed${row.note ? `: ${row.note}` : ''}`;
  return `${row.name.padEnd(24)} ${figures.padEnd(32)} target ${String(row.target).padEnd(8)} against ${row.against}: ${verdict}\n`;
}
