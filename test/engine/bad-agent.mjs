// An agent that speaks ACP, badly: what it does, each prompt says.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

const out = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (update, sessionId = 'one') =>
  out({ method: 'session/update', params: { sessionId, update } });
const say = (text, sessionId) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }, sessionId);
const waiting = new Map();
let last = 0;
let server;
let mode = 'default';
const ask = (method, params) =>
  new Promise((resolve) => {
    last += 1;
    waiting.set(`a${last}`, resolve);
    out({ id: `a${last}`, method, params: { sessionId: 'one', ...params } });
  });
const told = (answer) => JSON.stringify(answer.error ?? answer.result);

const DOES = {
  junk: async () => {
    process.stdout.write('no JSON\n[1,2]\n42\n{"jsonrpc":"2.0"}\n{"id":99,"result":{}}\n');
    update({ sessionUpdate: 'of_tomorrow', a: 1 });
    out({ method: 'session/update', params: { sessionId: 'one' } });
    out({ method: 'x/unknown', params: {} });
    say('after junk');
  },
  order: async () => {
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'x', status: 'completed' });
    update({ sessionUpdate: 'tool_call', toolCallId: 'x', title: 'again', status: 'pending' });
    update({ sessionUpdate: 'tool_call', toolCallId: 'y', title: 'never done' });
    const ours = { title: 'mcp__agent_boards__tasks', status: 'failed' };
    update({ sessionUpdate: 'tool_call', toolCallId: 'z', ...ours });
    say('after calls');
  },
  plan: async () => {
    const entry = (content, status) => ({ content, status, priority: 'high' });
    update({
      sessionUpdate: 'plan',
      entries: [entry('Dig', 'pending'), entry('Build', 'pending')],
    });
    update({
      sessionUpdate: 'plan',
      entries: [entry('Dig', 'completed'), entry('Build', 'pending')],
    });
  },
  'long plan': async () => {
    const content = 'ü'.repeat(2_000);
    const entry = (n) => ({ content: `${n} ${content}`, status: 'pending', priority: 'high' });
    update({ sessionUpdate: 'plan', entries: Array.from({ length: 2_000 }, (_, n) => entry(n)) });
    say('planned');
  },
  'many calls': async () => {
    const rawInput = { path: 'a.md', text: 'x'.repeat(1024 * 1024) };
    for (let n = 0; n < 100; n += 1) {
      const call = { toolCallId: `m${n}`, title: 't'.repeat(5_000), status: 'completed' };
      update({ sessionUpdate: 'tool_call', ...call, ...(n === 0 && { rawInput }) });
    }
    say('called');
  },
  fills: async () => {
    for (let n = 0; n < 20; n += 1) {
      say('x'.repeat(1024 * 1024));
      update({ sessionUpdate: 'tool_call', toolCallId: `f${n}`, title: 'read' });
    }
    await new Promise(() => {});
  },
  permission: async () => {
    const names = { allow_once: 'Yes', allow_always: 'Yes, always', reject_once: 'No' };
    const options = Object.entries(names).map(([kind, name]) => ({
      ...{ kind, optionId: `my-${kind}`, name },
    }));
    const toolCall = {
      toolCallId: 'p',
      title: 'rm notes',
      kind: 'execute',
      rawInput: { command: 'rm' },
    };
    say(told(await ask('session/request_permission', { toolCall, options })));
  },
  'many options': async () => {
    const option = (optionId, kind) => ({ optionId, kind, name: optionId });
    const options = [
      option('bypassPermissions', 'allow_always'),
      option('acceptEdits', 'allow_always'),
      option('default', 'allow_once'),
      option('plan', 'reject_once'),
    ];
    for (const [kind, from] of [
      ['switch_mode', 0],
      ['switch_mode', 1],
      ['execute', 0],
    ]) {
      const toolCall = { toolCallId: `mode${kind}${from}`, title: 'Ready to code?', kind };
      const asked = { toolCall, options: options.slice(from) };
      say(`${(await ask('session/request_permission', asked)).result.outcome.optionId} `);
    }
  },
  'asks on': async () => {
    const options = [{ kind: 'reject_once', optionId: 'my-reject', name: 'No' }];
    const asked = Array.from({ length: 1_001 }, (_, n) =>
      ask('session/request_permission', { toolCall: { toolCallId: `a${n}` }, options }),
    );
    say(told(await Promise.race(asked)));
    await Promise.all(asked);
  },
  dies: async () => {
    say('half');
    process.stderr.write('key sk-abcdefghijklmnopqrstuvwxyz and a reason\n', () => process.exit(3));
    await new Promise(() => {});
  },
  'dies when told': async () => {
    say('half');
    while (!existsSync('die')) await new Promise(setImmediate);
    process.exit(3);
  },
  never: async () => {
    say('waiting');
    await new Promise(() => {});
  },
  huge: async () => {
    say('x'.repeat(17 * 1024 * 1024));
    await new Promise(() => {});
  },
  other: async () => {
    say('not yours', 'another');
    say('yours');
  },
  steal: async () => {
    say(told(await ask('fs/read_text_file', { path: '/etc/passwd' })));
    say(
      told(
        await ask('fs/read_text_file', {
          path: `${process.cwd()}/.opencode/agent-task-boards.json`,
        }),
      ),
    );
    say(told(await ask('fs/write_text_file', { path: '/tmp/atb-stolen.md', content: 'x' })));
    say(told(await ask('terminal/create', { command: 'id' })));
    say(
      told(
        await ask('fs/read_text_file', { path: `${process.cwd()}/Ideas.md`, line: 2, limit: 1 }),
      ),
    );
  },
  tools: async () => {
    const own = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
    const child = spawn(server.command, server.args, { env: { ...process.env, ...own } });
    const send = (message) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'bad', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    send({ id: 1, method: 'initialize', params });
    const args = { name: 'tasks', arguments: { operations: [{ type: 'list' }] } };
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = JSON.parse(line);
      if (id === 1) send({ method: 'notifications/initialized' });
      if (id === 1) send({ id: 2, method: 'tools/call', params: args });
      if (id === 2) say(JSON.stringify(result));
      if (id === 2) child.stdin.end();
    }
  },
  'asks late': async () => {
    const options = [{ kind: 'reject_once', optionId: 'my-reject', name: 'No' }];
    void ask('session/request_permission', { toolCall: { toolCallId: 'l' }, options });
    say('done');
  },
  'long answer': async () => {
    for (let n = 0; n < 3; n += 1) say(`${n}`.repeat(512 * 1024));
    say('the end');
  },
  mode: async () => say(mode),
  costs: async () => {
    const turns = existsSync('turns') ? Number(readFileSync('turns', 'utf8')) + 1 : 1;
    writeFileSync('turns', `${turns}`);
    const cost = { amount: turns, currency: 'USD' };
    update({ sessionUpdate: 'usage_update', used: 1_000 * turns, size: 9_000, cost });
  },
  environment: async () => say(Object.keys(process.env).sort().join(' ')),
};

/** More than fits: thousands, and ids and names without an end. */
function offers() {
  const long = 'n'.repeat(1024 * 1024);
  const all = [
    { id: 'first', name: long, description: long },
    { id: long, name: 'x' },
  ];
  for (let i = 0; i < 5000; i += 1) all.push({ id: `of ${i}`, name: `Name ${i}` });
  const options = all.map(({ id, ...one }) => ({ value: id, ...one }));
  const model = { id: 'model', name: 'Model', category: 'model', type: 'select' };
  return {
    modes: { currentModeId: 'first', availableModes: all },
    configOptions: [{ ...model, currentValue: 'first', options }],
  };
}

/** A process that keeps the mode of one session for all that follow. */
function modes() {
  const availableModes = ['default', 'bypass', 'closed'].map((id) => ({ id, name: id }));
  return { modes: { currentModeId: mode, availableModes } };
}

const ANSWERS = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: process.argv.includes('keeps-sessions') },
  }),
  'session/load': () => (process.argv.includes('modes') && !existsSync('silent') ? modes() : {}),
  'session/set_mode': ({ modeId }) => {
    if (modeId === 'closed') throw { code: -32603, message: 'not now' };
    mode = modeId;
    return {};
  },
  'session/new': async ({ mcpServers }) => {
    [server] = mcpServers;
    if (existsSync('slow')) writeFileSync('opening', '');
    while (existsSync('slow')) await setTimeout(10);
    if (process.argv.includes('modes')) return { sessionId: 'one', ...modes() };
    if (existsSync('wants-login')) throw { code: -32000, message: 'Authentication required' };
    if (process.argv.includes('offers-all')) return { sessionId: 'one', ...offers() };
    return { sessionId: 'one' };
  },
  'session/prompt': async ({ prompt }) => {
    writeFileSync('prompt.json', JSON.stringify(prompt));
    const words = prompt.map(({ text = '' }) => text).find((text) => text in DOES);
    await (DOES[words] ?? (async () => say('fine')))();
    return { stopReason: 'end_turn' };
  },
};

if (process.argv.includes('stays')) process.on('SIGTERM', () => {});
if (process.argv.includes('hangs')) writeFileSync('pid', `${process.pid}`);

createInterface({ input: process.stdin }).on('line', async (line) => {
  if (process.argv.includes('hangs')) return setInterval(() => {}, 60_000);
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.({ result, error });
  if (id === undefined) return;
  try {
    out({ id, result: await ANSWERS[method](params) });
  } catch (error) {
    out({ id, error: { code: error.code ?? -32603, message: error.message } });
  }
});
