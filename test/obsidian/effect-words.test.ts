import { expect, test } from 'vitest';
import type { ChangedField } from '../../src/core/board/digest';
import { effectText, effectWords } from '../../src/obsidian/board/own-changes';
import { boardOf } from '../board/note-sample';

const PLAN =
  '## Ranking\n- [ ] Build 🆔 p-1 ^p-1\n- [ ] Score 🆔 p-2 ^p-2\n- [ ] Sort 🆔 p-3 ^p-3\n## Later\n- [ ] Ship 🆔 p-4 ^p-4\n';

test.each([
  ['- [ ] Score 🆔 p-2 ^p-2\n', '', 'Score is back'],
  ['- [ ] Score', '- [x] Score', 'Score is Ready again'],
  ['- [ ] Score', '- [ ] Scroe', 'Scroe is called Score again'],
  ['- [ ] Score', '\t- [ ] Score', 'Score is no longer a subtask'],
  ['- [ ] Ship', '- [ ] Ship ⛔ p-2', 'Ship waits for nothing again'],
  ['- [ ] Ship 🆔 p-4', '- [ ] Ship 📅 2026-11-28 🆔 p-4', 'Ship has no due date again'],
  [
    '- [ ] Score 🆔 p-2 ^p-2\n- [ ] Sort 🆔 p-3 ^p-3\n',
    '- [ ] Sort 🆔 p-3 ^p-3\n- [ ] Score 🆔 p-2 ^p-2\n',
    'Score is back in Ranking',
  ],
])('[SIDE56] undoing brings %j back in place of %j, and says: %s', (now, was, words) => {
  const before = boardOf(PLAN.replace(now, was));
  expect(effectWords(before, boardOf(PLAN))).toBe(words);
});

test('[SIDE56] a task is told to be back in its phase, prerequisites are told by their titles', () => {
  const moved = PLAN.replace('- [ ] Score 🆔 p-2 ^p-2\n', '') + '- [ ] Score 🆔 p-2 ^p-2\n';
  expect(effectWords(boardOf(moved), boardOf(PLAN))).toBe('Score is back in Ranking');
  const waits = PLAN.replace('- [ ] Ship', '- [ ] Ship ⛔ p-1,p-2');
  expect(effectWords(boardOf(PLAN), boardOf(waits))).toBe('Ship waits for Build, Score again');
  const none = PLAN.replaceAll('- [ ]', '- [x]');
  expect(effectWords(boardOf(none), boardOf(PLAN))).toBe(
    'Build is Ready again; Score is Ready again; and 2 more changes',
  );
});

test('[PLUGIN39] rolling back is told by titles, with what the board says then', () => {
  const change = { id: 'p-4', n: 4, title: 'Ship', before: null, after: null };
  const told = (field: ChangedField, before: string | null, after: string | null) =>
    effectText({ ...change, field, before, after }, 'effect');
  expect(told('status', 'completed', 'pending')).toBe('Ship is Ready');
  expect(told('dependsOn', null, 'Build, Score')).toBe('Ship waits for Build, Score');
  expect(told('title', 'Send', 'Ship')).toBe('Send is called Ship');
  expect(told('added', null, null)).toBe('Ship is back');
  expect(told('due', null, '2026-11-28')).toBe('Ship has due date 2026-11-28');
});
