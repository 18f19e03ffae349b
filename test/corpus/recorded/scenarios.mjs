// What is done to each board of a recorded vault: edits of every kind, by agent and person.

/** @param {ReadonlyMap<string, string>} notes path in the vault → text */
export function scenarios(notes) {
  return [...notes]
    .filter(([path]) => path.endsWith('-tasks.md'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, text]) => ofBoard(path, text));
}

function ofBoard(path, text) {
  const session = header(text, 'session');
  const agent = /([^/]*)-tasks\.md$/.exec(path)[1];
  const board = ['--session', session, '--agent', agent];
  const step = (...args) => ({ args: [...args, ...board] });
  const person = (...args) => step(...args, '--as-person');
  const ops = (operations, more = {}) => ({
    args: ['ops', '--session', session, '--agent', agent],
    input: JSON.stringify({ operations, ...more }),
  });
  const found = [...text.matchAll(/^\s*[-*+\d.)]+ \[.\].* (?:🆔 |\[id:: )\w+-(\d+)/gmu)];
  const ids = [...new Set(found.map((match) => match[1]))];
  // A board that can't be read has none; its edits are refused.
  const [first = '1', second = '2', third = '3'] = ids;
  const last = ids.at(-1) ?? '1';
  const named = {
    'add at the end': [step('add', 'A new task #tag [not a field', '--priority', 'high', '--due', '2026-12-01')],
    'add under a task': [step('add', 'A subtask', '--parent', first, '--body', 'Two\nlines')],
    'add behind a task': [step('add', 'Behind', '--after', second, '--depends-on', `${first},${third}`)],
    'add under a new heading': [step('add', 'In a phase of its own', '--phase', 'Afterwards')],
    'start and complete': [step('claim', last), step('complete', last)],
    'complete by force': [step('update', last, '--status', 'completed', '--force', '--reason', 'Done elsewhere')],
    'every field': [
      step('update', second, '--title', 'Renamed ⏫ *so*', '--priority', 'lowest', '--owner', 'explore'),
      step('update', second, '--scope', 'broad', '--risk', 'high', '--impact', 'phase', '--level', 'review'),
      step('update', second, '--estimate', '2h', '--due', '2026-12-24', '--body', 'New text'),
      step('update', second, '--clear', 'owner,due,risk'),
    ],
    'every status': ['in_progress', 'failed', 'deferred', 'cancelled', 'pending'].map((status) =>
      step('update', third, '--status', status, '--reason', 'So', '--force'),
    ),
    'depend and undepend': [step('depend', last, '--depends-on', first), step('undepend', last, '--depends-on', first)],
    'move behind the first': [step('move', last, '--after', first)],
    'move under a task': [step('move', last, '--parent', first)],
    'remove a task': [step('remove', last, '--cascade')],
    'remove and undo': [step('remove', second, '--cascade'), step('undo')],
    'archive, restore': [step('complete', last), step('archive'), step('restore', last)],
    'archive, undo': [step('archive'), step('undo')],
    'agent undoes': [step('undo')],
    'person undoes': [person('undo')],
    'roll back': [step('rollback', '1')],
    'roll back, undo': [step('rollback', '1'), person('undo')],
    'person ticks': [person('complete', last)],
    'person renames, adds, undoes': [
      person('update', first, '--title', 'Named by me'),
      person('add', 'Added by me'),
      person('undo'),
    ],
    'person against agent': [
      person('update', first, '--title', 'Named by me'),
      step('update', first, '--title', 'Named by the agent', '--priority', 'critical'),
    ],
    'a batch of which one fails': [
      ops([
        { type: 'add', title: 'One' },
        { type: 'complete', id: '9999' },
        { type: 'add', title: 'Two', dependsOn: [Number(first)] },
        { type: 'update', id: first, priority: 'low' },
      ]),
    ],
    'a batch, all or nothing': [
      ops([{ type: 'add', title: 'One' }, { type: 'complete', id: '9999' }], { atomic: true }),
    ],
    'a new title of the board': [ops([{ type: 'init', title: 'Another: title' }])],
    'mended by the doctor': [{ args: ['doctor', '--fix'] }],
  };
  return Object.entries(named).map(([name, steps]) => ({ name: `${path}: ${name}`, steps }));
}

const header = (text, key) => new RegExp(`^${key}: *"?([^"\\r\\n]*)"?`, 'm').exec(text)?.[1] ?? '';
