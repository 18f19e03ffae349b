import { AuditReader, type AuditPage } from '../../core/permission/audit/audit-reader';
import type { AuditRow } from '../../core/permission/audit/audit-row';
import { jsonLine } from '../../core/permission/audit/visible-text';
import { localDate } from '../../node/node-clock';
import { printed, usage, type Exit, type Surroundings } from '../exit';
import type { Given } from '../given';
import { lookUntil } from '../look-until';
import type { AuditPlace } from './audit-place';
import { rowJson, rowLine } from './row-text';
import { fitting, wantedOf, type Wanted } from './wanted';

/** `agent-boards audit tail`: the latest calls, and with `--follow` those to come. */
export async function tail(place: AuditPlace, given: Given, around: Surroundings): Promise<Exit> {
  const wanted = wantedOf(given, Date.now());
  if (typeof wanted === 'string') return usage(wanted, 'audit');
  const reader = new AuditReader(place.store);
  const shown = (await latest(reader, wanted)).reverse();
  // What ends from here on is news, also while the first lines are printed.
  const told = new Told(reader.now.rows);
  const text = shown.map((row) => lineOf(row, given.json));
  if (!given.flag('follow')) {
    return text.length === 0 && !given.json
      ? printed(0, 'No entry fits.')
      : { code: 0, out: text.map((line) => `${line}\n`).join(''), err: '' };
  }
  const stop = around.untilStopped();
  for (const line of text) around.print(`${line}\n`);
  await lookUntil(stop, place.folder, async () => {
    const rows = fitting(told.news((await reader.refresh()).rows), wanted);
    for (const row of rows.reverse()) around.print(`${lineOf(row, given.json)}\n`);
  });
  return { code: 0, out: '', err: '' };
}

/** As many months back as it takes. */
async function latest(reader: AuditReader, wanted: Wanted): Promise<AuditRow[]> {
  const { lines, since } = wanted;
  let page: AuditPage = await reader.refresh();
  const first = since === undefined ? undefined : localDate(new Date(since)).slice(0, 7);
  while (page.older !== undefined) {
    if (first !== undefined && page.older < first) break;
    if (fitting(page.rows, wanted).length >= lines) break;
    page = await reader.load(page.older);
  }
  return fitting(page.rows, wanted).slice(0, lines);
}

function lineOf(row: AuditRow, json: boolean): string {
  return json ? jsonLine(rowJson(row)) : rowLine(row);
}

/** What was shown already: a call that had no outcome is shown again once it has one. */
class Told {
  private keys: Set<string>;

  constructor(rows: readonly AuditRow[]) {
    this.keys = new Set(rows.map(keyOf));
  }

  news(rows: readonly AuditRow[]): readonly AuditRow[] {
    const fresh = rows.filter((row) => isOver(row) && !this.keys.has(keyOf(row)));
    this.keys = new Set(rows.map(keyOf));
    return fresh;
  }
}

function isOver(row: AuditRow): boolean {
  return row.kind === 'damage' || row.outcome !== undefined;
}

function keyOf(row: AuditRow): string {
  return `${row.key} ${isOver(row)}`;
}
