import { beforeEach, expect, test } from 'vitest';
import { Hooks } from '../../src/core/hook/hooks';
import { cutLongAnswers } from '../../src/core/tool/long-answers';
import { ManualClock } from '../bridge/manual-clock';
import { codeOf, NoteScene, outputOf } from '../tool/note-scene';

let hooks: Hooks;

beforeEach(() => {
  hooks = new Hooks({ clock: new ManualClock(), log: { note: () => undefined } });
});

const RULES = [
  { permission: 'read', pattern: '**', action: 'allow' },
  { permission: 'read', pattern: 'Secret/**', action: 'deny' },
];

async function scene(): Promise<NoteScene> {
  const made = await NoteScene.make({ rules: RULES, deps: { hooks } });
  made.memory.put('Open.md', 'open words');
  made.memory.put('Secret/Plan.md', 'secret words');
  return made;
}

test('[HOOK4] a call that a hook cancels is not run; its audit says so', async () => {
  const notes = await scene();
  hooks.on('pre-tool-use', 'Guard', ({ tool, agent, sessionId }) => ({
    cancel: `No ${tool} for ${agent} in ${sessionId}.`,
  }));
  const answer = await notes.run('read', { path: 'Open.md' });
  expect(codeOf(answer)).toBe('hook');
  expect(outputOf(answer)).toBe(
    'Nothing was done: a hook of Guard cancelled the call. No read for build in s.',
  );
  const { intent } = await notes.onlyCall();
  expect(intent).toMatchObject({ verdict: 'deny', args: { path: 'Open.md' } });
  expect(intent.why).toContain('hook of Guard');
});

test('[HOOK4] what a hook changes goes through the rules and into the audit as it was changed', async () => {
  const notes = await scene();
  hooks.on('pre-tool-use', 'Elsewhere', () => ({ change: { args: { path: 'Secret/Plan.md' } } }));
  const answer = await notes.run('read', { path: 'Open.md' });
  expect(codeOf(answer)).toBe('denied');
  const { intent } = await notes.onlyCall();
  expect(intent).toMatchObject({
    ...{ path: 'Secret/Plan.md', verdict: 'deny', args: { path: 'Secret/Plan.md' } },
  });
});

test('[HOOK4] no answer of a hook opens what the rules deny', async () => {
  const notes = await scene();
  hooks.on('pre-tool-use', 'Opener', (() => ({ allow: true })) as never);
  hooks.on('pre-tool-use', 'Opener', (() => ({ change: { agent: 'trusted' } })) as never);
  expect(codeOf(await notes.run('read', { path: 'Secret/Plan.md' }))).toBe('denied');
});

test('[HOOK5] a hook after a call may change its answer for the agent, or withhold it', async () => {
  const notes = await scene();
  const undo = hooks.on('post-tool-use', 'Cleaner', ({ output, ok }) => ({
    change: { output: `${ok ? 'done' : 'failed'}: ${output.toUpperCase()}` },
  }));
  expect(outputOf(await notes.run('read', { path: 'Open.md' }))).toBe('done: READ');
  const failed = await notes.run('read', { path: 'Secret/Plan.md' });
  expect(codeOf(failed)).toBe('denied');
  expect(outputOf(failed)).toMatch(/^failed: NOTHING WAS DONE/);
  undo();
  hooks.on('post-tool-use', 'Cleaner', () => ({ cancel: 'It has a key.' }));
  const withheld = await notes.run('read', { path: 'Open.md' });
  expect(codeOf(withheld)).toBe('hook');
  expect(outputOf(withheld)).toBe(
    'It was done, but its answer is withheld by a hook of Cleaner. It has a key.',
  );
});

test('[HOOK16] an answer about notes ends after 500 lines, also where another hook made it longer', async () => {
  cutLongAnswers(hooks);
  const lines = Array.from({ length: 700 }, (_, at) => `line ${at + 1}`);
  const undo = hooks.on('post-tool-use', 'Longer', () => ({
    change: { output: lines.join('\n') },
  }));
  const run = async (tool: string): Promise<string> => {
    const facts = { tool, args: {}, agent: 'build', ok: true, title: '', output: 'one\ntwo' };
    return (await hooks.run('post-tool-use', facts)).facts.output;
  };
  const cut = (await run('obsidian.get_note_metadata')).split('\n');
  expect(cut).toHaveLength(500);
  expect(cut.slice(498)).toEqual([
    'line 499',
    '[201 more lines are left out. Read the note in parts for them: obsidian_read_note with "lines".]',
  ]);
  expect((await run('tasks')).split('\n')).toHaveLength(700);
  const list = (await run('obsidian.list_notes')).split('\n');
  expect(list).toHaveLength(500);
  expect(list[499]).toContain('List them with "after", the last path above.');
  lines.length = 500;
  expect((await run('obsidian.read_note')).split('\n')).toEqual(lines);
  undo();
  expect(await run('obsidian.read_note')).toBe('one\ntwo');
});
