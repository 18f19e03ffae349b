import type { SessionEventOf } from '../session-event';
import type { Block } from './block';
import type { BlockList } from './block-list';

type RequestEvent = SessionEventOf<
  'permission.request' | 'permission.resolved' | 'question.request' | 'question.resolved'
>;
type State = SessionEventOf<'snapshot'>['payload']['state'];

/** The block that a request or its answer makes anew; none where it says nothing new. */
export function requestBlock(list: BlockList, { type, ts, payload }: RequestEvent): Block[] {
  const id = payload.requestId;
  if (type === 'permission.request' || type === 'permission.resolved') {
    const here = list.find('permission', id);
    if (type === 'permission.request') {
      return here === undefined ? [{ kind: 'permission', id, request: payload, at: ts }] : [];
    }
    const open = here !== undefined && here.reply === undefined;
    return open ? [{ ...here, reply: payload.reply }] : [];
  }
  const here = list.find('question', id);
  if (type === 'question.request') {
    const asked: Block = { kind: 'question', id, request: payload, resolved: false, at: ts };
    return here === undefined ? [asked] : [];
  }
  return here?.resolved === false ? [{ ...here, resolved: true }] : [];
}

/** What a snapshot says anew of what waits for the person: new requests, and questions that are over. */
export function waitingBlocks(
  list: BlockList,
  { permissions, questions }: Pick<State, 'permissions' | 'questions'>,
  at: number,
): Block[] {
  const open = new Set(questions.map(({ requestId }) => requestId));
  const over = list.all.flatMap((block): Block[] => {
    if (block.kind !== 'question' || block.resolved || open.has(block.id)) return [];
    return [{ ...block, resolved: true }];
  });
  const asked = permissions.flatMap((request): Block[] => {
    const id = request.requestId;
    if (list.find('permission', id) !== undefined) return [];
    return [{ kind: 'permission', id, request, at }];
  });
  const put = questions.flatMap((request): Block[] => {
    const id = request.requestId;
    if (list.find('question', id) !== undefined) return [];
    return [{ kind: 'question', id, request, resolved: false, at }];
  });
  return [...over, ...asked, ...put];
}
