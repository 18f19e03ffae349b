// An agent that speaks ACP and keeps sessions, which it lists in pages: endlessly, or with a cursor that comes again.
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , pages] = process.argv;
const cwd = process.cwd();
const out = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (words) => ({ type: 'text', text: words });

function told(sessionId, sessionUpdate, more) {
  out({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...more } } });
}

let asked = 0;

const ANSWERS = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, sessionCapabilities: { list: {} } },
  }),
  'session/new': () => {
    const input = { hint: 'what to look for' };
    const availableCommands = [{ name: 'find', description: 'Looks for words.', input }];
    told('new', 'available_commands_update', { availableCommands });
    return { sessionId: 'new' };
  },
  'session/list': ({ cursor }) => {
    asked += 1;
    appendFileSync('pages.txt', `${cursor ?? ''}\n`);
    if (pages === 'endless') {
      return { sessions: [{ sessionId: `s${asked}`, cwd }], nextCursor: `c${asked}` };
    }
    if (cursor === undefined) {
      const all = ['Dig', 'Build'].map((title) => ({ sessionId: title.toLowerCase(), cwd, title }));
      return { sessions: [...all, { sessionId: 'far', cwd: '/elsewhere' }], nextCursor: 'again' };
    }
    const left = existsSync('gone') ? [] : [{ sessionId: 'late', cwd, title: 'Late' }];
    return { sessions: left, nextCursor: 'again' };
  },
  'session/load': ({ sessionId }) => {
    if (sessionId === 'build') throw { code: -32603, message: 'lost it' };
    told(sessionId, 'user_message_chunk', { content: text('Where?') });
    told(sessionId, 'user_message_chunk', { content: text('Here.') });
    told(sessionId, 'agent_thought_chunk', { content: text('Look.') });
    told(sessionId, 'agent_message_chunk', { content: text('I ') });
    told(sessionId, 'agent_message_chunk', { content: text('look.') });
    const call = { toolCallId: 't', title: 'ls', kind: 'execute', rawInput: { command: 'ls' } };
    told(sessionId, 'tool_call', { ...call, status: 'pending' });
    const content = [{ type: 'content', content: text('a.md') }];
    told(sessionId, 'tool_call_update', { toolCallId: 't', status: 'completed', content });
    told(sessionId, 'agent_message_chunk', { content: text('There.') });
    told('another', 'agent_message_chunk', { content: text('not of this one') });
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => {
    const words = prompt.map((one) => one.text).join('|');
    told(sessionId, 'agent_message_chunk', { content: text(`${sessionId}: ${words}`) });
    return { stopReason: 'end_turn' };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  try {
    out({ id, result: ANSWERS[method](params) });
  } catch ({ code, message }) {
    out({ id, error: { code, message } });
  }
});
