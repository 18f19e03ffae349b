import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useArmed } from '../ui/armed';
import { VisibleText } from '../ui/diff-view';
import { useFocus } from '../ui/focus';
import type { ToolPermissionReply } from '../../core/permission/ask';
import type { PermissionReply } from '../../protocol/fields';
import type { AttentionItem } from '../model/attention';
import { Button } from '../ui/icon';
import { t } from '../language/text';

/** The parts of the dialog around any request. */
export interface SharedAskProps {
  /** "build in Offline search for the vault" */
  readonly origin: string;
  /** title of the task that the agent works on */
  readonly task?: string | undefined;
  readonly connected: boolean;
  /** the first step: `deny` if that was chosen before the dialog opened */
  readonly step?: AskStep;
  /** shown before the buttons: the position in the queue */
  readonly queue: ComponentChildren;
  readonly unsent: UnsentMessages;
}

/** A permission request: its name, description, keys, and the three answers. */
export function AskFrame(
  props: SharedAskProps & {
    readonly requestId: string;
    /** id of the model's call, if one of our tools asks */
    readonly callId?: string;
    /** identifies what is asked: when it changes, answers are ignored for a moment */
    readonly subject: string;
    /** the request is about to be replaced: answers are ignored */
    readonly stale?: boolean;
    /** the second step of "always"; undefined if nothing can be recorded */
    readonly always: ((step: StepProps) => ComponentChildren) | undefined;
    readonly onAllow: () => void;
    /** @param words message to the agent */
    readonly onDeny: (words: { readonly message?: string }) => void;
    readonly children: ComponentChildren;
  },
) {
  const { requestId, unsent, always } = props;
  const [chosen, setStep] = useState<AskStep>(props.step ?? 'ask');
  const step = chosen === 'always' && always === undefined ? 'ask' : chosen;
  const armed = useArmed(`${step} ${props.subject}`) && props.stale !== true;
  const form = useRef<HTMLDivElement>(null);
  // The button that led to a step is removed with the step before. The field for a message takes
  // the focus itself.
  useLayoutEffect(() => {
    if (step !== 'deny') form.current?.focus({ preventScroll: true });
    // A second step adds its content and buttons at the end.
    if (step !== 'ask') form.current?.scrollIntoView({ block: 'end' });
  }, [step]);
  useLayoutEffect(() => restoreLostFocus(form.current));
  const allow = () => armed && props.onAllow();
  const answerOnKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    // A held key answers only the request that it was pressed for.
    if (event.repeat) return;
    if (step === 'ask') allow();
    // The same as its button, which is off as long as nothing is answered.
    else form.current?.querySelector<HTMLElement>(`button[data-reply=${REPLIES[step]}]`)?.click();
  };
  const second = { armed, onBack: () => setStep('ask') };
  const to = (next: AskStep) => () => setStep(next);
  const answers: readonly Omit<AnswerProps, 'armed'>[] = [
    { kind: 'deny', words: t('common.deny'), reply: 'reject', onClick: to('deny') },
    { kind: 'plain', words: t('ask.alwaysAllow'), reply: 'always', onClick: to('always') },
    { kind: 'primary', words: t('common.allowOnce'), reply: 'once', onClick: allow },
  ];
  const has = ({ reply }: Pick<AnswerProps, 'reply'>) => reply !== 'always' || always !== undefined;
  return (
    <div
      class="atb-permission"
      role="alertdialog"
      aria-labelledby={ASK_TITLE_ID}
      aria-describedby={requestElementId(requestId)}
      data-request={requestId}
      data-call={props.callId}
      data-step={step}
      tabIndex={-1}
      ref={form}
      onKeyDown={answerOnKey}
    >
      <p class="atb-ask-origin">
        {props.task === undefined
          ? props.origin
          : t('ask.originFor', { origin: props.origin, task: props.task })}
      </p>
      {props.children}
      {step === 'always' && always?.(second)}
      {step === 'deny' && <DenyStep {...{ ...second, requestId, unsent, onDeny: props.onDeny }} />}
      {step === 'ask' && (
        <div class="atb-buttons atb-ask-buttons">
          {props.queue}
          {answers.filter(has).map((one) => (
            <Answer key={one.reply} {...one} armed={armed} />
          ))}
        </div>
      )}
    </div>
  );
}

/** Id of the element that shows what a request asks. */
function requestElementId(requestId: string): string {
  return `atb-asked-${requestId}`;
}

/** The exact objects of a request. */
export function AskFacts(props: {
  readonly requestId: string;
  readonly label: string;
  readonly objects: readonly string[];
  /** the objects are file paths */
  readonly files: boolean;
  readonly change: string | null | undefined;
  /** what the agent calls the answers */
  readonly answers?: readonly string[];
  /** who or what sent the request */
  readonly children: ComponentChildren;
}) {
  const { requestId, label, objects, files, change, answers = [] } = props;
  return (
    <dl class="atb-ask-facts" id={requestElementId(requestId)}>
      <dt>{label}</dt>
      <dd>
        {objects.map((object, index) => (
          <code class={files ? 'atb-ask-object is-file' : 'atb-ask-object'} key={index}>
            <VisibleText text={object} />
          </code>
        ))}
      </dd>
      {typeof change === 'string' && (
        <>
          <dt>{t('ask.change')}</dt>
          <dd>{change}</dd>
        </>
      )}
      {answers.length > 0 && (
        <>
          <dt>{t('ask.agentsAnswers')}</dt>
          <dd>
            {answers.map((answer) => (
              <div key={answer}>
                <VisibleText text={answer} />
              </div>
            ))}
          </dd>
        </>
      )}
      <dt>{t('ask.askedBy')}</dt>
      <dd>{props.children}</dd>
    </dl>
  );
}

/** The reply that each second step gives. */
const REPLIES = { always: 'always', deny: 'reject' } as const;

/**
 * Moves the focus to the dialog if the focused control was disabled or removed, so that the
 * dialog's keys keep working.
 */
function restoreLostFocus(form: HTMLElement | null): void {
  const at = form?.ownerDocument.activeElement;
  const lost = at === form?.ownerDocument.body || (at?.matches(':disabled') && form?.contains(at));
  if (lost === true) form?.focus({ preventScroll: true });
}

/** `always` and `deny` are the second steps of these answers. */
export type AskStep = 'ask' | 'always' | 'deny';

interface StepProps {
  readonly armed: boolean;
  readonly onBack: () => void;
}

interface AnswerProps {
  readonly armed: boolean;
  readonly reply: 'once' | 'always' | 'reject';
  readonly kind: 'plain' | 'deny' | 'primary' | 'warning';
  readonly words: string;
  readonly onClick: () => void;
}

function Answer({ armed, reply, ...button }: AnswerProps) {
  return <Button {...button} data-reply={reply} disabled={!armed} />;
}

/** The buttons to go back to the first step and to answer. */
export function StepButtons({ onBack, onClick, ...answer }: StepProps & AnswerProps) {
  return (
    <div class="atb-buttons atb-ask-buttons">
      <Button kind="quiet" words={t('ask.back')} onClick={onBack} />
      <Answer {...answer} onClick={() => answer.armed && onClick()} />
    </div>
  );
}

interface DenyProps extends StepProps {
  readonly requestId: string;
  readonly unsent: UnsentMessages;
  readonly onDeny: (words: { readonly message?: string }) => void;
}

/**
 * The second step of a denial, with an optional message to the agent, which is kept at each key
 * press.
 */
function DenyStep({ requestId, unsent, onDeny, ...step }: DenyProps) {
  const [words, setWords] = useState(unsent.of(requestId));
  const field = useRef<HTMLTextAreaElement>(null);
  useFocus(field);
  const message = words.trim();
  return (
    <>
      <label class="atb-ask-words">
        {t('ask.whyOptional')}
        <textarea
          ref={field}
          rows={2}
          value={words}
          onInput={({ currentTarget: { value } }) => {
            setWords(value);
            unsent.keep(requestId, value);
          }}
        />
      </label>
      <StepButtons
        {...{ ...step, kind: 'warning', reply: 'reject', words: t('ask.denyNow') }}
        onClick={() => onDeny({ ...(message !== '' && { message }) })}
      />
    </>
  );
}

/**
 * Says what happens to an answer that is given while offline.
 * @param ours whether one of our own tools asks: it runs here
 */
export function OfflineNote({ connected, ours }: { readonly connected: boolean; ours?: boolean }) {
  if (connected) return null;
  return (
    <p class="atb-ask-note" role="status">
      {ours === true ? t('ask.countsOffline') : t('ask.sentLater')}
    </p>
  );
}

/**
 * Id of the dialog's title, which names the form for screen readers. The app shows an `aria-label`
 * as a tooltip over the whole form, so the form has none.
 */
export const ASK_TITLE_ID = 'atb-ask-title';

/** The person's answer to a request. */
export type PromptAnswer =
  | { readonly kind: 'permission'; readonly reply: PermissionReply; readonly message?: string }
  | { readonly kind: 'question'; readonly answers: readonly (readonly string[])[] }
  | { readonly kind: 'ask'; readonly answer: ToolPermissionReply };

/** Unsent messages to the agent, by request. Keeps them when the dialog closes. */
export class UnsentMessages {
  private readonly words = new Map<string, string>();

  of(requestId: string): string {
    return this.words.get(requestId) ?? '';
  }

  keep(requestId: string, words: string): void {
    if (words === '') this.words.delete(requestId);
    else this.words.set(requestId, words);
  }

  /**
   * Drops messages of requests that are gone; a request that replaces another one takes over its
   * message.
   */
  sync(needs: readonly AttentionItem[]): void {
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
