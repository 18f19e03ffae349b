import type { Turn } from '../../workbench/demo/script';
import { add, operations, session, type Session } from './script-parts';

/** The agent writes and fetches; some of it is allowed, some refused. */
export function edits(): Session {
  const write = (filePath: string): Turn => ({
    tools: [{ name: 'write', args: { filePath, content: 'Written by the agent.\n' } }],
  });
  return session(
    'Writes and fetches',
    {
      turns: [
        operations(add('Write')),
        write('Allowed.md'),
        write('Refused.md'),
        { text: 'Never' },
      ],
      answers: [
        { permission: 'edit', reply: 'once' },
        // A refusal without a reason ends the turn here.
        { permission: 'edit', reply: 'reject' },
      ],
    },
    {
      turns: [
        { tools: [{ name: 'webfetch', args: { url: 'http://127.0.0.1:9/', format: 'text' } }] },
        operations({ type: 'complete', id: 'Write' }),
      ],
      answers: [{ permission: 'webfetch', reply: 'reject', message: 'Stay here' }],
    },
  );
}
