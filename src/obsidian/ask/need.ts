import type { PermissionRequest, QuestionRequest } from '../../protocol/requests';
import type { Session } from '../../core/session/session';
import { permissionText } from './permission-text';

/** One thing that an agent waits for a person to decide. */
export type Need =
  | { readonly kind: 'permission'; readonly session: Session; readonly request: PermissionRequest }
  | { readonly kind: 'question'; readonly session: Session; readonly request: QuestionRequest };

/** All that waits, in the order of the sessions, permissions first. */
export function needsOf(sessions: readonly Session[]): readonly Need[] {
  return sessions.flatMap((session) => [
    ...session.permissions.map((request): Need => ({ kind: 'permission', session, request })),
    ...session.questions.map((request): Need => ({ kind: 'question', session, request })),
  ]);
}

/** The question itself: "Allow this command?", "Who are the notes for?" */
export function needQuestion(need: Need): string {
  if (need.kind === 'permission') return permissionText(need.request).question;
  return need.request.questions[0]?.question ?? 'The agent asks';
}

/** In short, after "Needs you": "Edit a note", "Question". */
export function needShort(need: Need): string {
  return need.kind === 'permission' ? permissionText(need.request).short : 'Question';
}

/** Where it comes from: "build in Offline search for the vault". */
export function needOrigin({ session }: Need): string {
  const title = session.title === '' ? session.id : session.title;
  return session.agent === null ? title : `${session.agent} in ${title}`;
}
