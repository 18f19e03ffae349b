import type { Command } from '../command';
import { usage, type Exit } from '../exit';
import { auditPlace } from './audit-place';
import { explain } from './explain';
import { tail } from './tail';
import { verify } from './verify';

/** `agent-boards audit`: what agents did, and whether the record of it is whole. */
export const audit: Command = {
  name: 'audit',
  takes: 'verify | tail | explain ENTRY',
  says: 'what agents did and why they might; whether the record is whole',
  options: {
    session: { type: 'string', value: 'S', says: 'tail: calls in this session' },
    agent: { type: 'string', value: 'A', says: 'tail: calls of this agent' },
    tool: {
      type: 'string',
      value: 'T',
      says: 'tail: calls of this tool: tasks, read_note',
    },
    task: { type: 'string', value: 'ID', says: 'tail: calls made at this task' },
    outcome: {
      type: 'string',
      value: 'O',
      says: 'tail: done, preview, denied, failed, cancelled, open or damaged',
    },
    since: {
      type: 'string',
      value: 'WHEN',
      says: 'tail: from 2026-11-22 or 2026-11-22T10:30 on, or 30m, 2h, 3d ago',
    },
    lines: { type: 'string', short: 'n', value: 'N', says: 'tail: so many, the latest (20)' },
    follow: { type: 'boolean', short: 'f', says: 'tail: goes on, until Ctrl C' },
  },
  words: { least: 1, most: 2 },
  run(given, { folder }, around) {
    const [what, entry] = given.words;
    const place = auditPlace(folder);
    if (what === 'explain') {
      return entry === undefined
        ? misused('audit explain takes an entry: its number, or the id of a call.')
        : explain(place, entry, given.json);
    }
    if (entry !== undefined)
      return misused(`"${entry}" is not understood: audit ${what} takes options only.`);
    if (what === 'verify') return verify(place, given.json, pause);
    if (what === 'tail') return tail(place, given, around);
    return misused('audit takes verify, tail or explain.');
  },
};

function misused(message: string): Promise<Exit> {
  return Promise.resolve(usage(message, audit.name));
}

/** ms between a writer's name and its first entry that are waited for, some times. */
const FIRST_ENTRY = 500;

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, FIRST_ENTRY);
  });
}
