import { describe, expect, it } from 'vitest';
import { BOARD_KEYS } from '../../src/obsidian/board-view/board-keys';
import { GRAPH_KEYS } from '../../src/obsidian/graph/graph-keys';
import { TREE_KEYS } from '../../src/obsidian/sidebar/tree-command';
import { actionForKey, type ViewActions } from '../../src/obsidian/ui/view-actions';

function pressed(key: string, more: Partial<KeyboardEvent> = {}): KeyboardEvent {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  return { key, ...none, ...more } as KeyboardEvent;
}

describe('keys of a view', () => {
  const done: string[] = [];
  const does = (...ids: (keyof ViewActions)[]): ViewActions =>
    Object.fromEntries(ids.map((id) => [id, () => done.push(id)]));
  const run = (event: KeyboardEvent, acts: ViewActions) => {
    done.length = 0;
    actionForKey(event, BOARD_KEYS, acts)?.();
    return [...done];
  };

  it('[PLUGIN77] do what the table of the view says, with their modifiers', () => {
    const acts = does('add-task-here', 'add-subtask', 'undo', 'redo', 'open-task', 'show-menu');
    expect(run(pressed('a'), acts)).toEqual(['add-task-here']);
    expect(run(pressed('A', { shiftKey: true }), acts)).toEqual(['add-subtask']);
    expect(run(pressed('z', { ctrlKey: true }), acts)).toEqual(['undo']);
    expect(run(pressed('Z', { metaKey: true, shiftKey: true }), acts)).toEqual(['redo']);
    expect(run(pressed('F10', { shiftKey: true }), acts)).toEqual(['show-menu']);
    expect(run(pressed('F10'), acts)).toEqual([]);
    expect(run(pressed('Enter', { altKey: true }), acts)).toEqual([]);
  });

  it('[PLUGIN77] of several actions the first that can be done', () => {
    expect(run(pressed('Escape'), does('clear-selection', 'clear-filter'))).toEqual([
      'clear-selection',
    ]);
    expect(run(pressed('Escape'), does('clear-filter'))).toEqual(['clear-filter']);
    expect(run(pressed('Escape'), {})).toEqual([]);
  });

  it('[PLUGIN77] each key stands once in the list of its view', () => {
    for (const lines of [TREE_KEYS, BOARD_KEYS, GRAPH_KEYS]) {
      const all = lines.flatMap(({ keys }) => Object.keys(keys ?? {}));
      expect(all).toEqual([...new Set(all)]);
    }
  });
});
