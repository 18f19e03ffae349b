import './jitless';
import * as z from 'zod/mini';
import { payload, plainMessage } from './envelope';
import { id, list, name, path, text, time } from './fields';
import { sessionStatus } from './snapshot';

export const welcome = plainMessage(
  'welcome',
  'The answer to `hello`, and with `replyTo` to `session.list`: the bridge and its sessions.',
  payload({
    epoch: id.check(
      z.describe(
        'Names the numbering of this client’s messages, in both directions. Another value than ' +
          'the one to resume: the bridge started anew, or forgot; `seq` is 1 again both ways.',
      ),
    ),
    bridge: name.check(z.describe('Version of the bridge.')),
    opencode: name.check(z.describe('Version of OpenCode.')),
    directory: path,
    features: z.optional(
      list(name).check(
        z.describe(
          'What it can do that older bridges can’t. `keys`: it knows the `key` of `session.start` ' +
            'and `session.message`, and `session.look`.',
        ),
      ),
    ),
    sessions: list(
      z.object({
        id,
        title: text,
        parentId: z.optional(id),
        agent: z.optional(name),
        status: sessionStatus,
        updated: z.optional(time.check(z.describe('When it last did something.'))),
      }),
    ),
    resumed: z
      .boolean()
      .check(
        z.describe(
          'Whether the numbering goes on and what was missed is sent again. If not, a flagged ' +
            '`snapshot` follows for each session of `resume`.',
        ),
      ),
  }),
);
