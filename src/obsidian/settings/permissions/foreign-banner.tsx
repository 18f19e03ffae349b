import { useArmed } from '../../ask/armed';
import { Banner } from '../../part/banner';
import type { StandingPolicy } from '../../../core/permission/standing-policy';
import { visibleText } from '../../../core/permission/audit/visible-text';
import type { NamedSession } from './rule-text';
import { useSaving } from './use-saving';

/** What was changed in the rules from outside, and whether it shall count. */
export function ForeignBanner(props: {
  readonly policy: StandingPolicy;
  readonly sessions?: readonly NamedSession[];
}) {
  const { policy, sessions = [] } = props;
  const [problem, save] = useSaving();
  const change = policy.foreign();
  // A click on its way to what stood there a moment ago confirms nothing else.
  const armed = useArmed(change === undefined ? '' : JSON.stringify(change.permissions));
  if (change === undefined) return null;
  const putBack = { label: 'Put back', onClick: () => void save(() => policy.putBack()) };
  const confirm = {
    label: 'Confirm',
    disabled: !armed,
    onClick: () => void (armed && save(() => policy.confirm(change))),
  };
  const [title, text] =
    change.problem === undefined
      ? [
          'The rules were changed outside these settings',
          'Until you confirm the change, only what narrows counts.',
        ]
      : ['The rules can’t be followed, so everything asks', change.problem];
  return (
    <Banner
      icon="triangle-alert"
      tone="error"
      label={title}
      title={title}
      text={
        <>
          <p>{text}</p>
          <Changes title="May allow more" {...{ change, sessions, widens: true }} />
          <Changes
            title="Allows less, and counts already"
            {...{ change, sessions, widens: false }}
          />
          {!change.canPutBack && <p>{NOT_BACK}</p>}
          {problem !== '' && <p role="alert">{problem}</p>}
        </>
      }
      buttons={[
        ...(change.problem === undefined ? [confirm] : []),
        ...(change.canPutBack ? [putBack] : []),
      ]}
    />
  );
}

const NOT_BACK =
  'Your rules are kept, and can’t be put back into the file as it is. Once it is mended or removed, they can.';

function Changes(props: {
  readonly title: string;
  readonly change: NonNullable<ReturnType<StandingPolicy['foreign']>>;
  readonly sessions: readonly NamedSession[];
  readonly widens: boolean;
}) {
  const changes = props.change.changes.filter(({ widens }) => widens === props.widens);
  if (changes.length === 0) return null;
  return (
    <>
      <p>{props.title}:</p>
      <ul class="atb-rule-changes">
        {changes.map(({ words }, index) => (
          <li key={index}>{visibleText(withNames(words, props.sessions))}</li>
        ))}
      </ul>
    </>
  );
}

/** Beside the id of a session its title, which anybody may have chosen. */
function withNames(words: string, sessions: readonly NamedSession[]): string {
  return sessions.reduce(
    (text, { id, title }) => text.replace(`session ${id}`, () => `session ${id}, “${title}”`),
    words,
  );
}
