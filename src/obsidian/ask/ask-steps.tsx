import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useFocus } from '../ui/focus';
import type { AskAnswer } from '../../core/permission/ask';
import type { PermissionReply } from '../../protocol/fields';
import type { AttentionItem } from '../model/attention';
import { Button } from '../ui/icon';

/** What is around a permission that is asked: its name, its description, its keys, where it begins. */
export function AskFrame(props: {
  readonly requestId: string;
  /** of the model's call, where one of our tools asks */
  readonly callId?: string | undefined;
  /** id of the element that says what is asked */
  readonly describedBy: string;
  readonly origin: string;
  /** title of the task that the agent is at */
  readonly task?: string | undefined;
  readonly step: AskStep;
  /** Ctrl Enter, at the first step */
  readonly onAllow: () => void;
  readonly children: ComponentChildren;
}) {
  const { requestId, step } = props;
  const form = useRef<HTMLDivElement>(null);
  // The button that led to a step is gone with it; a field for words takes the focus itself.
  useLayoutEffect(() => {
    if (step !== 'deny') form.current?.focus({ preventScroll: true });
    // What a second step adds is at the end, with what answers it.
    if (step !== 'ask') form.current?.scrollIntoView({ block: 'end' });
  }, [step]);
  useLayoutEffect(() => keepFocus(form.current));
  const answerOnKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    // A key that is held answers what it was pressed for, and nothing that comes after that.
    if (event.repeat) return;
    if (step === 'ask') props.onAllow();
    // The same as its button, which is off as long as nothing is answered.
    else form.current?.querySelector<HTMLElement>(`button[data-reply=${REPLIES[step]}]`)?.click();
  };
  return (
    <div
      class="atb-permission"
      role="alertdialog"
      aria-labelledby={ASK_TITLE_ID}
      aria-describedby={props.describedBy}
      data-request={requestId}
      data-call={props.callId}
      data-step={step}
      tabIndex={-1}
      ref={form}
      onKeyDown={answerOnKey}
    >
      <p class="atb-ask-origin">
        {props.origin}
        {props.task !== undefined && ` · for ${props.task}`}
      </p>
      {props.children}
    </div>
  );
}

/** What a second step is about. */
const REPLIES = { always: 'always', deny: 'reject' } as const;

/** Where the control that had the focus is off or gone, the dialog has it: its keys go on working. */
function keepFocus(form: HTMLElement | null): void {
  const at = form?.ownerDocument.activeElement;
  const lost = at === form?.ownerDocument.body || (at?.matches(':disabled') && form?.contains(at));
  if (lost === true) form?.focus({ preventScroll: true });
}

/** `always` and `deny` are the second steps of these two answers. */
export type AskStep = 'ask' | 'always' | 'deny';

/** The three answers, or the second step that two of them have. */
export function AskSteps(props: {
  readonly step: AskStep;
  readonly onStep: (step: AskStep) => void;
  readonly armed: boolean;
  readonly requestId: string;
  /** stands before the buttons: the place in the queue */
  readonly queue: ComponentChildren;
  readonly unsent: UnsentWords;
  /** the second step of always; undefined where nothing can be recorded */
  readonly always: ((onBack: () => void) => ComponentChildren) | undefined;
  readonly onAllow: () => void;
  /** @param words for the agent */
  readonly onDeny: (words: { readonly message?: string }) => void;
}) {
  const { step, armed, requestId, unsent, always, onStep } = props;
  const onBack = () => onStep('ask');
  if (step === 'always' && always !== undefined) return <>{always(onBack)}</>;
  if (step === 'deny') {
    return (
      <DenyStep
        {...{ armed, onBack, words: unsent.of(requestId) }}
        onWords={(words) => unsent.keep(requestId, words)}
        onDeny={(message) => props.onDeny({ ...(message !== undefined && { message }) })}
      />
    );
  }
  return (
    <div class="atb-buttons atb-ask-buttons">
      {props.queue}
      <Button
        kind="deny"
        words="Deny…"
        data-reply="reject"
        disabled={!armed}
        onClick={() => onStep('deny')}
      />
      {always !== undefined && (
        <Button
          words="Always allow…"
          data-reply="always"
          disabled={!armed}
          onClick={() => onStep('always')}
        />
      )}
      <Button
        kind="primary"
        words="Allow once"
        data-reply="once"
        disabled={!armed}
        onClick={props.onAllow}
      />
    </div>
  );
}

/** Back to the first step, and the answer itself. */
export function StepButtons(props: {
  readonly armed: boolean;
  readonly reply: 'always' | 'reject';
  readonly words: string;
  readonly onBack: () => void;
  readonly onClick: () => void;
}) {
  const { armed, reply } = props;
  return (
    <div class="atb-buttons atb-ask-buttons">
      <Button kind="quiet" words="Back" onClick={props.onBack} />
      <Button
        kind={reply === 'reject' ? 'warning' : 'primary'}
        words={props.words}
        data-reply={reply}
        disabled={!armed}
        onClick={() => armed && props.onClick()}
      />
    </div>
  );
}

/** The second step of a no: words for the agent go with it, or none. */
function DenyStep(props: {
  readonly armed: boolean;
  readonly onBack: () => void;
  /** as they were left, and told with each key */
  readonly words: string;
  readonly onWords: (words: string) => void;
  /** @param message undefined where nothing was written */
  readonly onDeny: (message: string | undefined) => void;
}) {
  const [words, setWords] = useState(props.words);
  const field = useRef<HTMLTextAreaElement>(null);
  useFocus(field);
  return (
    <>
      <label class="atb-ask-words">
        Tell the agent why (optional)
        <textarea
          ref={field}
          rows={2}
          value={words}
          onInput={(event) => {
            setWords(event.currentTarget.value);
            props.onWords(event.currentTarget.value);
          }}
        />
      </label>
      <StepButtons
        {...{ armed: props.armed, onBack: props.onBack }}
        reply="reject"
        words="Deny"
        onClick={() => props.onDeny(words.trim() === '' ? undefined : words.trim())}
      />
    </>
  );
}

/**
 * Says what becomes of an answer that is given without a connection.
 * @param ours a tool of ours asks: what it does is done here
 */
export function OfflineNote({ connected, ours }: { readonly connected: boolean; ours?: boolean }) {
  if (connected) return null;
  return (
    <p class="atb-ask-note" role="status">
      {ours === true
        ? 'Not connected. Your answer counts at once; OpenCode is told when it is back.'
        : 'Not connected. Your answer is sent when OpenCode is back.'}
    </p>
  );
}

/**
 * Id of the dialog's title, which names the form for screen readers. The app shows an `aria-label`
 * as a tooltip over the whole form, so the form has none.
 */
export const ASK_TITLE_ID = 'atb-ask-title';

/** What a person decided about one need. */
export type PromptAnswer =
  | { readonly kind: 'permission'; readonly reply: PermissionReply; readonly message?: string }
  | { readonly kind: 'question'; readonly answers: readonly (readonly string[])[] }
  | { readonly kind: 'ask'; readonly answer: AskAnswer };

/** Words for the agent that the person has begun and not sent, by request: a dialog that closes keeps them. */
export class UnsentWords {
  private readonly words = new Map<string, string>();

  of(requestId: string): string {
    return this.words.get(requestId) ?? '';
  }

  keep(requestId: string, words: string): void {
    if (words === '') this.words.delete(requestId);
    else this.words.set(requestId, words);
  }

  /** Those of what is over go; what asks anew, since the note changed, has those of its first request. */
  follow(needs: readonly AttentionItem[]): void {
    for (const { request } of needs) {
      if (!('replaces' in request) || request.replaces === undefined) continue;
      const before = this.words.get(request.replaces);
      if (before !== undefined && this.of(request.requestId) === '') {
        this.words.set(request.requestId, before);
      }
    }
    const there = new Set(needs.map(({ request }) => request.requestId));
    for (const id of [...this.words.keys()]) if (!there.has(id)) this.words.delete(id);
  }
}
