import type { Ask } from '../../core/permission/ask';
import type { PermissionRequest, QuestionRequest } from '../../protocol/requests';
import type { Session } from '../../core/session/session';
import { askText } from './ask-text';
import { permissionText } from './permission-text';
import { plainLine } from './plain-line';

/** One thing that an agent waits for a person to decide: what OpenCode asks, or our own tools. */
export type Need =
  | { readonly kind: 'permission'; readonly session: Session; readonly request: PermissionRequest }
  | { readonly kind: 'question'; readonly session: Session; readonly request: QuestionRequest }
  | {
      readonly kind: 'ask';
      /** undefined where the call's session is not known here */
      readonly session: Session | undefined;
      readonly request: Ask;
    };

export type NeedOf<K extends Need['kind']> = Extract<Need, { kind: K }>;

/**
 * All that waits, in the order of the sessions: permissions, what our tools ask, questions; at the
 * end what is of no session that is known.
 */
export function needsOf(sessions: readonly Session[], asks: readonly Ask[] = []): readonly Need[] {
  const known = new Set(sessions.map(({ id }) => id));
  const lost = asks.filter(({ sessionId }) => sessionId === undefined || !known.has(sessionId));
  const ours = (of: readonly Ask[], session?: Session): readonly Need[] =>
    of.map((request) => ({ kind: 'ask', session, request }));
  return [
    ...sessions.flatMap((session) => [
      ...session.permissions.map((request): Need => ({ kind: 'permission', session, request })),
      ...ours(
        asks.filter(({ sessionId }) => sessionId === session.id),
        session,
      ),
      ...session.questions.map((request): Need => ({ kind: 'question', session, request })),
    ]),
    ...ours(lost),
  ];
}

/** The question itself: "Allow this command?", "Who are the notes for?" */
export function needQuestion(need: Need): string {
  switch (need.kind) {
    case 'permission':
      return permissionText(need.request).question;
    case 'ask':
      return askText(need.request).question;
    case 'question':
      return need.request.questions[0]?.question ?? 'The agent asks';
  }
}

/** In short, after "Needs you": "Edit a note", "Question". */
export function needShort(need: Need): string {
  switch (need.kind) {
    case 'permission':
      return permissionText(need.request).short;
    case 'ask':
      return askText(need.request).short;
    case 'question':
      return 'Question';
  }
}

/** The session's id, where the call's context has one. */
export function needSession(need: Need): string | undefined {
  return need.kind === 'ask' ? need.request.sessionId : need.session.id;
}

/** Title of the session, else its id, else the agent. */
export function needTitle(need: Need): string {
  const title = plainLine(need.session?.title ?? '');
  if (title !== '') return title;
  return plainLine(needSession(need) ?? (need.kind === 'ask' ? need.request.agent : ''));
}

/** Where it comes from: "build in Offline search for the vault". */
export function needOrigin(need: Need): string {
  const agent = plainLine((need.kind === 'ask' ? need.request.agent : need.session.agent) ?? '');
  const title = needTitle(need);
  return agent === '' || agent === title ? title : `${agent} in ${title}`;
}
