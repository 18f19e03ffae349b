import { useArmed } from '../ui/armed';
import { Banner } from '../ui/banner';
import type { PolicyStore } from '../../core/permission/policy-store';
import { visibleText } from '../../core/permission/audit/redact';
import type { NamedSession } from './rule-text';
import { useSaving } from './rules-deps';
import { useChanges } from '../ui/use-changes';
import type { App } from 'obsidian';
import type { Undo } from '../../core/ports';
import { openForm } from '../ui/dialog';
import { notify, type Notify } from '../ui/notify';
import type { BoardFolders } from '../../core/permission/board-folders';
import { t, translated } from '../language/text';

/** Shows how the rules were changed from outside, and asks whether to accept that. */
export function ExternalChangeBanner(props: {
  readonly policy: PolicyStore;
  readonly sessions?: readonly NamedSession[];
}) {
  const { policy, sessions = [] } = props;
  const [problem, save] = useSaving();
  const change = policy.foreign();
  // Disarms the button briefly when the change differs, so that a late click confirms only what was
  // visible.
  const armed = useArmed(change === undefined ? '' : JSON.stringify(change.permissions));
  if (change === undefined) return null;
  const putBack = {
    label: t('permission.putBack'),
    onClick: () => void save(() => policy.putBack()),
  };
  const confirm = () => void (armed && save(() => policy.confirm(change)));
  const readable = change.problem === undefined;
  const title = readable ? t('permission.changedOutside') : UNREADABLE;
  return (
    <Banner
      icon="triangle-alert"
      tone="error"
      label={title}
      text={
        <>
          <p>{translated(change.problem ?? STRICTER)}</p>
          <Changes title={t('permission.mayAllowMore')} {...{ change, sessions, widens: true }} />
          <Changes title={t('permission.allowsLess')} {...{ change, sessions, widens: false }} />
          {!change.canPutBack && <p>{CANT_RESTORE}</p>}
          {problem !== '' && <p role="alert">{problem}</p>}
        </>
      }
      buttons={[
        ...(readable
          ? [{ label: t('permission.confirm'), disabled: !armed, onClick: confirm }]
          : []),
        ...(change.canPutBack ? [putBack] : []),
      ]}
    />
  );
}

const UNREADABLE = t('permission.rulesUnreadable');

const STRICTER = t('permission.onlyStricter');

const CANT_RESTORE = t('permission.rulesAreKept');

type Change = NonNullable<ReturnType<PolicyStore['foreign']>>;

function Changes(props: {
  readonly title: string;
  readonly change: Change;
  readonly sessions: readonly NamedSession[];
  readonly widens: boolean;
}) {
  const changes = props.change.changes.filter(({ widens }) => widens === props.widens);
  if (changes.length === 0) return null;
  return (
    <>
      <p>{props.title}</p>
      <TextList words={changes.map(({ words }) => withNames(translated(words), props.sessions))} />
    </>
  );
}

function TextList({ words }: { readonly words: readonly string[] }) {
  return (
    <ul class="atb-rule-changes">
      {words.map((one, index) => (
        <li key={index}>{visibleText(one)}</li>
      ))}
    </ul>
  );
}

/** Adds the session's title to its id. Anyone may have chosen that title. */
function withNames(words: string, sessions: readonly NamedSession[]): string {
  return sessions.reduce(
    (text, { id, title }) => text.replace(`session ${id}`, () => `session ${id}, “${title}”`),
    words,
  );
}

/** Notifies the person when another program has changed the rules, and lets them review it. */
export function watchRules(app: App, policy: PolicyStore): Undo {
  return notifyRuleChanges(policy, notify, () => {
    void openForm<never>(app, t('permission.permissionRules'), () => (
      <ReviewRules policy={policy} />
    ));
  });
}

function ReviewRules({ policy }: { readonly policy: PolicyStore }) {
  useChanges(policy);
  if (policy.foreign() !== undefined) return <ExternalChangeBanner policy={policy} />;
  return <p>{t('permission.confirmedApply')}</p>;
}

/**
 * Notifies the person once of each change of the rules by another program. Removes the notice when
 * it no longer applies.
 * @param notify returns a function that removes the notice
 */
export function notifyRuleChanges(
  policy: Pick<PolicyStore, 'foreign' | 'onChange'>,
  notify: (...notice: Parameters<Notify>) => Undo,
  review: () => void,
): Undo {
  let notified: string | undefined;
  let hide: Undo | undefined;
  const update = (): void => {
    const change = policy.foreign();
    const what = change && JSON.stringify([change.problem, change.permissions]);
    if (what === notified) return;
    notified = what;
    hide?.();
    hide = undefined;
    if (change === undefined) return;
    const words = change.problem === undefined ? CHANGED : BROKEN;
    hide = notify(words, { label: t('permission.review'), onClick: review });
  };
  update();
  const stop = policy.onChange(update);
  return () => {
    stop();
    hide?.();
  };
}

const CHANGED = t('permission.ruleNoticeChanged');

const BROKEN = t('permission.ruleNoticeUnreadable');

/** Folders that once held boards, closed to agents until the person releases them. */
export function FormerBoardFolders(props: {
  readonly folders: Pick<BoardFolders, 'left' | 'release' | 'onChange'>;
}) {
  const { folders } = props;
  useChanges(folders);
  const { left } = folders;
  // Disarms the button briefly when the list differs, so that a late click releases only what was
  // visible.
  const armed = useArmed(left.join('\n'));
  if (left.length === 0) return null;
  return (
    <Banner
      icon="shield"
      label={t('permission.boardsWereElsewhere')}
      text={
        <>
          <p>{t('permission.boardsMayBeThere')}</p>
          <TextList words={left} />
        </>
      }
      buttons={[
        {
          label: t('permission.release'),
          disabled: !armed,
          onClick: () => armed && folders.release(left),
        },
      ]}
    />
  );
}
