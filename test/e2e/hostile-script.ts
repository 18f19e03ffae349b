import { edits } from './hostile-edits';
import { HOSTILE_TITLES } from './hostile-titles';
import { add, call, operations, session, type Session } from './script-parts';
import { IN_FULL } from '../in-full';
import type { PersonAction, Script, Turn } from '../../workbench/demo/script';

/** Four sessions: titles, calls, permissions, edits; in full also size, errors, persons, agents. */
export function hostileScript(): Script {
  return {
    sessions: [
      titles(),
      ...(IN_FULL ? [fifty()] : []),
      wrongArguments(),
      ...(IN_FULL ? [wrongAmongRight(), modelError(), person(), twoAgents()] : []),
      permissions(),
      edits(),
    ],
  };
}

function titles(): Session {
  const adds = HOSTILE_TITLES.map((title) => add(title));
  const chain = HOSTILE_TITLES.slice(1, 4).map((title, index) => ({
    type: 'update',
    id: title,
    dependsOn: [HOSTILE_TITLES[index]],
  }));
  return session('Titles: "quotes", 🚀 [ ] ^x עברית', {
    text: 'Hostile "prompt" 🚀 ^x [ ] <b>',
    turns: [
      operations({ type: 'init', title: 'All: the # titles' }, ...adds),
      operations(...chain),
    ],
  });
}

function fifty(): Session {
  const many = Array.from({ length: 50 }, (_, index) => {
    const title = `Task ${index + 1} of fifty`;
    return add(title, index % 5 === 0 ? { phase: `Phase ${index / 5 + 1}` } : {});
  });
  const done = Array.from({ length: 50 }, (_, index) => ({
    type: 'complete',
    id: String(index + 1),
  }));
  return session('Fifty operations', {
    turns: [operations(...many), operations(...done.slice(0, 20))],
  });
}

function wrongAmongRight(): Session {
  return session('Wrong among right', {
    turns: [
      operations(
        add('One'),
        { type: 'explode' },
        add(''),
        add('Two\nlines'),
        { type: 'complete' },
        { type: 'complete', id: '99' },
        { type: 'update', id: '1', status: 'sleeping' },
        add('Two', { parent: '1' }),
        add('Three', { parent: 'nobody' }),
        add('Four', { dependsOn: ['nobody'] }),
        { type: 'update', id: '1', dependsOn: ['1'] },
        null,
        'text',
        { type: 'remove', id: '1' },
        { type: 'complete', id: '2' },
        { type: 'list' },
      ),
    ],
  });
}

function wrongArguments(): Session {
  const fiftyOne = Array.from({ length: 51 }, (_, index) => add(`No ${index}`));
  const wrong: readonly unknown[] = [
    {},
    { operations: 'add a task' },
    { operations: 7 },
    { operations: null },
    { operations: [] },
    { operations: {} },
    { operations: fiftyOne },
    { operations: [{ type: 7, title: {} }, { type: 'add', title: 7 }, [], true] },
    { operation: [add('Wrong key')] },
    { operations: [add('Kept', { unknown: 1, status: ['x'], phase: {} })] },
  ];
  return session('Wrong arguments', {
    turns: [...wrong.map((args): Turn => ({ tools: [call(args)] })), operations(add('Fine'))],
  });
}

function modelError(): Session {
  return session(
    'The model fails',
    { turns: [operations(add('Before the error')), { status: 400 }] },
    { turns: [{ status: 500 }, operations(add('After the error')), { text: 'Good.' }] },
  );
}

function person(): Session {
  const act = (after: number, what: Omit<PersonAction, 'after'>) =>
    ({ after, ...what }) as PersonAction;
  return session('A person at work', {
    turns: [
      operations(add('Tick me'), add('Waits', { dependsOn: ['Tick me'] }), add('Rename me')),
      operations(add('Later')),
      operations({ type: 'list' }),
    ],
    person: [
      act(0, { do: 'tick', task: 'Later' }),
      act(1, { do: 'tick', task: 'Waits' }),
      act(1, { do: 'tick', task: 'Tick me' }),
      act(1, { do: 'rename', task: 'Rename me', value: 'Renamed "so" ^x [ ] 🚀' }),
      act(2, { do: 'add', task: 'By the person 🆔' }),
      act(2, { do: 'add', task: 'Tick me', value: 'After the first' }),
      act(2, { do: 'edit', task: 'Waits', value: '\t- [ ] typed by hand\n\tand a remark' }),
      act(3, { do: 'status', task: 'After the first', value: 'In progress' }),
      act(3, { do: 'status', task: 'By the person 🆔', value: 'deferred' }),
      act(3, { do: 'status', task: 'Tick me', value: 'Failed' }),
      act(3, { do: 'status', task: 'Waits', value: 'cancelled' }),
    ],
  });
}

function permissions(): Session {
  const bash = (command: string): Turn => ({
    tools: [{ name: 'bash', args: { command, description: 'Say it' } }],
  });
  return session(
    'Asks before it acts',
    {
      turns: [
        operations(add('Ask')),
        bash('echo once'),
        bash('echo no'),
        operations(add('Answered')),
      ],
      answers: [
        { permission: 'bash', reply: 'once' },
        { permission: 'bash', reply: 'reject', message: 'Not now, "please" wait' },
      ],
    },
    {
      turns: [
        {
          tools: [
            {
              name: 'question',
              args: {
                questions: [
                  {
                    question: 'Which one?',
                    header: 'One',
                    options: [
                      { label: 'First', description: 'the first' },
                      { label: 'Second', description: 'the second' },
                    ],
                  },
                ],
              },
            },
          ],
        },
        bash('echo always'),
        bash('echo always again'),
      ],
      answers: [
        { question: 'Which one?', reply: 'Second' },
        { permission: 'bash', reply: 'always' },
      ],
    },
  );
}

function twoAgents(): Session {
  return session(
    'Two boards',
    { turns: [operations({ type: 'init', agent: 'plan', title: 'The plan' }, add('Planned'))] },
    {
      turns: [
        operations(
          { type: 'init', agent: 'build', title: 'The work' },
          add('Built', { agent: 'build' }),
        ),
        operations(add('Planned too', { agent: 'plan' }), { type: 'list' }),
        {
          text: 'Ask somebody else.',
          tools: [
            {
              name: 'task',
              args: { description: 'Look around', prompt: 'Look', subagent_type: 'general' },
            },
            { name: 'no_such_tool', args: { a: 1 } },
          ],
        },
      ],
    },
  );
}
