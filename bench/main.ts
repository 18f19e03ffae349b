/**
 * `npm run bench [-- --json] [-- NAME…]`: runs every row (or those whose name starts with a NAME)
 * and prints one table.
 */
import { parseArgs } from 'node:util';
import { installPeers } from './peers.js';
import type { Measured, Row } from './row.js';
import { busRows } from './rows/bus.js';
import { bundleRows } from './rows/bundle.js';
import { startRows } from './rows/start.js';
import { cacheRows } from './rows/caches.js';
import { commandRows } from './rows/commands.js';
import { engineRows } from './rows/engine.js';
import { graphPeerRows } from './rows/graph-peers.js';
import { noteRows } from './rows/note.js';
import { notesSearchRows } from './rows/notes-search.js';
import { notePeerRows } from './rows/note-peers.js';
import { permissionRows } from './rows/permission.js';
import { schemaRows } from './rows/schema.js';
import { statsRows } from './rows/stats.js';
import { storeRows } from './rows/store.js';
import { summaryRows } from './rows/summary.js';
import { viewBoardRows } from './rows/view-board.js';
import { viewSidebarRows } from './rows/view-sidebar.js';
import { viewStreamRows } from './rows/view-stream.js';
import { wireRows } from './rows/wire.js';
import { wireCallRows } from './rows/wire-call.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});

const rows: readonly Row[] = [
  ...busRows(),
  ...wireRows(),
  ...wireCallRows(),
  ...engineRows(),
  ...noteRows(),
  ...notePeerRows(),
  ...graphPeerRows(),
  ...permissionRows(),
  ...schemaRows(),
  ...summaryRows(),
  ...statsRows(),
  ...storeRows(),
  ...cacheRows(),
  ...viewStreamRows(),
  ...viewSidebarRows(),
  ...viewBoardRows(),
  ...bundleRows(),
  ...startRows(),
  ...notesSearchRows(),
  ...commandRows(),
].filter(
  ({ name }) => positionals.length === 0 || positionals.some((wanted) => name.startsWith(wanted)),
);

if (rows.some(({ peers }) => peers)) installPeers();
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

function line(row: Row, { ratio, p10, p90, detail }: Measured, ok: boolean): string {
  const digits = row.unit === undefined ? 4 : 0;
  const figures = `${ratio.toFixed(digits)} (${p10.toFixed(digits)}–${p90.toFixed(digits)})`;
  const verdict = ok ? 'met' : `missed${row.note ? `: ${row.note}` : ''}`;
  const more = detail === undefined ? '' : ` (${detail})`;
  return `${row.name.padEnd(26)} ${figures.padEnd(30)} target ${String(row.target).padEnd(8)} against ${row.against}: ${verdict}${more}\n`;
}
