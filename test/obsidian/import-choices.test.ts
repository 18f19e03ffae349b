import { expect, test } from 'vitest';
import { importChoices, importedWords } from '../../src/obsidian/board/import-export';
import { MemoryStore } from '../store/memory-store';

test('[PLUGIN64] the import dialog offers beads and folders of notes besides files and hidden plans', async () => {
  const store = new MemoryStore();
  for (const path of ['.beads/issues.jsonl', '.tasks/task_1.json', 'backlog/tasks/task-1.md']) {
    await store.update(path, () => 'x');
  }
  const files = [
    'backlog/tasks/task-1.md',
    'Tasks/a.md',
    'Tasks/b.md',
    'plan.jsonl',
    'a.png',
    'x.md',
  ];
  const choices = await importChoices(store, files);
  expect(choices.map(({ text, value }) => [text, value.kind])).toEqual([
    ['.beads/issues.jsonl', 'file'],
    ['backlog', 'folder'],
    ['.tasks', 'folder'],
    ['backlog/tasks', 'folder'],
    ['Tasks', 'folder'],
    ['backlog/tasks/task-1.md', 'file'],
    ['Tasks/a.md', 'file'],
    ['Tasks/b.md', 'file'],
    ['plan.jsonl', 'file'],
    ['x.md', 'file'],
  ]);
});

test('[PLUGIN64] an import of edited notes says how many tasks it changed, added and removed', () => {
  const board = { path: 'p', name: 'build-tasks', there: 4, left: [] };
  const words = (added: number, changed: number, removed: number) =>
    importedWords({ ...board, added, changed, removed });
  expect(words(0, 2, 0)).toBe('build-tasks imported: 2 tasks changed.');
  expect(words(1, 2, 1)).toBe(
    'build-tasks imported: 1 task added, 2 tasks changed, 1 task removed.',
  );
  expect(words(0, 0, 0)).toBe('build-tasks imported: order, headings or free text changed.');
  expect(importedWords({ ...board, added: 3 })).toBe('3 tasks of build-tasks imported.');
});
