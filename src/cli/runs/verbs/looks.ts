import { printed, usage, type Exit } from '../../exit';
import { cantRun, runOf } from '../carry-run';
import { isOver } from '../is-over';
import { runJson } from '../run-json';
import { runLine, runText } from '../run-text';
import type { RunVerb } from '../run-verb';

/** `agent-boards run list`: all runs, the newest first. */
export const list: RunVerb = {
  name: 'list',
  takes: '',
  says: 'the runs of the vault, the newest first, those that are over too',
  options: [],
  words: { least: 0, most: 0 },
  run({ open, given }) {
    const all = open.runs.all();
    const lines = all.length === 0 ? ['No runs.'] : all.map(runLine);
    const text = given.json ? JSON.stringify({ runs: all.map(runJson) }) : lines.join('\n');
    return Promise.resolve(printed(0, text));
  },
};

/** `agent-boards run status`: how a run stands. */
export const status: RunVerb = {
  name: 'status',
  takes: '[RUN]',
  says: 'how a run stands: its plan, its figures, why it waits, what happened last',
  options: [],
  words: { least: 0, most: 1 },
  run(desk) {
    const { given, words } = desk;
    const chosen = runOf(desk, words[0], true);
    if (!chosen.ok) return Promise.resolve(usage(chosen.message, 'run'));
    const { view } = chosen;
    const code = view.fault === null || isOver(view.state) ? 0 : 3;
    const text = given.json ? JSON.stringify(runJson(view)) : runText(view);
    return Promise.resolve(printed(code, text));
  },
};

/** `agent-boards run note`: the note of a run. */
export const note: RunVerb = {
  name: 'note',
  takes: '[RUN]',
  says: 'the note of a run, as it is written',
  options: [],
  words: { least: 0, most: 1 },
  async run(desk): Promise<Exit> {
    const { given, words, vault } = desk;
    const chosen = runOf(desk, words[0], true);
    if (!chosen.ok) return usage(chosen.message, 'run');
    const { id, note: path } = chosen.view;
    const text = path === undefined ? undefined : await vault.store.read(path);
    if (path === undefined || text === undefined) {
      return cantRun(desk, `Run ${id} has no note yet.`);
    }
    if (given.json) return printed(0, JSON.stringify({ run: id, path, text }));
    return { code: 0, out: text, err: '', raw: true };
  },
};
