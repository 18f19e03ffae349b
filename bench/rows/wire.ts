import { decodeFromBridge } from '../../src/protocol/codec';
import { compare } from '../measure';
import type { Row } from '../row';

const envelope = { v: 1, id: 'msg_1', ts: 1_795_232_706_128, sessionId: 'ses_1' };

const frames = {
  'wire.decode': {
    ...envelope,
    type: 'stream.token',
    payload: { messageId: 'msg_2', partId: 'prt_3', delta: ' a few words of text' },
  },
  'wire.decode.call': {
    ...envelope,
    type: 'tool.call',
    payload: {
      callId: 'call_1',
      tool: 'tasks',
      args: { operations: [{ type: 'add', title: 'Build the inverted index' }] },
      agent: 'build',
      messageId: 'msg_2',
      originSessionId: 'ses_1',
    },
  },
  'wire.decode.other': {
    ...envelope,
    type: 'tool.update',
    payload: {
      callId: 'call_1',
      tool: 'tasks',
      status: 'running',
      title: 'Build the inverted index',
      input: { operations: [{ type: 'add', title: 'Build the inverted index' }] },
    },
  },
};

function row(name: keyof typeof frames, target: number): Row {
  const text = JSON.stringify(frames[name]);
  return {
    name,
    against: 'JSON.parse of the same frame',
    target,
    measure: () => {
      if (!decodeFromBridge(text).ok) throw new Error(`${name}: the frame is not accepted`);
      return compare(
        (times) => {
          let last: unknown;
          for (let n = 0; n < times; n++) last = decodeFromBridge(text);
          return last;
        },
        (times) => {
          let last: unknown;
          for (let n = 0; n < times; n++) last = JSON.parse(text);
          return last;
        },
      );
    },
  };
}

export function wireRows(): Row[] {
  return [row('wire.decode', 1.5), row('wire.decode.call', 3), row('wire.decode.other', 3)];
}
