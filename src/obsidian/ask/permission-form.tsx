import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { PermissionRequest } from '../../protocol/requests';
import type { Answer } from './answer';
import { useArmed } from './armed';
import { AskFrame } from './ask-frame';
import { Choices } from './choices';
import { DenyStep } from './deny-step';
import { DiffLines } from './diff';
import { diffLines } from './diff-lines';
import { noteName } from './note-name';
import { OfflineNote } from './offline-note';
import { permissionText, type PermissionText } from './permission-text';
import { ShownText } from './shown-text';
import type { Step } from './step';
import { StepButtons } from './step-buttons';
import type { UnsentWords } from './unsent-words';

export interface PermissionFormProps {
  readonly request: PermissionRequest;
  /** "build in Offline search for the vault" */
  readonly origin: string;
  readonly task?: string | undefined;
  readonly connected: boolean;
  /** where the dialog begins: `deny` where that was chosen before it opened */
  readonly step?: Step;
  /** stands before the buttons: the place in the queue */
  readonly queue: ComponentChildren;
  readonly unsent: UnsentWords;
  readonly onAnswer: (answer: Answer) => void;
}

/** One request of OpenCode: what exactly is asked, and the three answers. */
export function PermissionForm(props: PermissionFormProps) {
  const { request } = props;
  const [step, setStep] = useState<Step>(props.step ?? 'ask');
  const content = useMemo(() => JSON.stringify(request), [request]);
  const armed = useArmed(`${step} ${content}`);
  const text = permissionText(request);
  const reply = (answer: Answer) => {
    if (armed) props.onAnswer(answer);
  };
  const allow = () => reply({ kind: 'permission', reply: 'once' });
  const toStart = () => setStep('ask');
  const asked = `atb-asked-${request.requestId}`;
  return (
    <AskFrame
      {...{ step, requestId: request.requestId, describedBy: asked }}
      {...{ origin: props.origin, task: props.task, onAllow: allow }}
    >
      <Asked id={asked} request={request} text={text} />
      <DiffLines
        lines={diffLines(request)}
        name={`Change to ${noteName(text.objects[0] ?? request.permission)}`}
      />
      <OfflineNote connected={props.connected} />
      {step === 'ask' && (
        <Choices
          {...{ armed, queue: props.queue, onStep: setStep, onAllow: allow }}
          always={request.always.length > 0}
        />
      )}
      {step === 'always' && (
        <Always
          {...{ armed, request, onBack: toStart }}
          onSave={() => reply({ kind: 'permission', reply: 'always' })}
        />
      )}
      {step === 'deny' && (
        <DenyStep
          {...{ armed, onBack: toStart, words: props.unsent.of(request.requestId) }}
          onWords={(words) => props.unsent.keep(request.requestId, words)}
          onDeny={(message) =>
            reply({
              kind: 'permission',
              reply: 'reject',
              ...(message !== undefined && { message }),
            })
          }
        />
      )}
    </AskFrame>
  );
}

function Asked(props: {
  readonly id: string;
  readonly request: PermissionRequest;
  readonly text: PermissionText;
}) {
  const { request, text } = props;
  return (
    <dl class="atb-ask-facts" id={props.id}>
      <dt>{text.label}</dt>
      <dd>
        {text.objects.map((object, index) => (
          <code class={text.files ? 'atb-ask-object is-file' : 'atb-ask-object'} key={index}>
            <ShownText text={object} />
          </code>
        ))}
      </dd>
      {text.change !== null && (
        <>
          <dt>Change</dt>
          <dd>{text.change}</dd>
        </>
      )}
      <dt>Asked by</dt>
      <dd>
        OpenCode, <code>{request.permission}</code> is set to ask
      </dd>
    </dl>
  );
}

/** OpenCode says itself what it would record, and for how long. */
function Always(props: {
  readonly armed: boolean;
  readonly request: PermissionRequest;
  readonly onBack: () => void;
  readonly onSave: () => void;
}) {
  const { armed, request, onBack } = props;
  return (
    <>
      <p class="atb-ask-sentence">
        From now on allow <strong>{request.permission}</strong> for{' '}
        {request.always.map((pattern, index) => (
          <code class="atb-ask-pattern" key={index}>
            <ShownText text={pattern} />
          </code>
        ))}{' '}
        until OpenCode ends.
      </p>
      <StepButtons
        {...{ armed, onBack }}
        reply="always"
        words="Save and allow"
        onClick={props.onSave}
      />
    </>
  );
}
