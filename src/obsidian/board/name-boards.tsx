import type { App } from 'obsidian';
import { useLayoutEffect, useState } from 'preact/hooks';
import type {
  BoardNaming,
  NamedBy,
  NamingAnswer,
  NamingControl,
} from '../../core/board/names/name-boards';
import { openForm } from '../ui/dialog';
import { notify } from '../ui/notify';
import { listed } from '../language/listed';
import { ProgressForm } from './move-boards';
import { COMMA, faultText, t } from '../language/text';

interface NameBoardsDeps {
  readonly app: App;
  readonly naming: () => BoardNaming;
  /** Reads the boards now. */
  readonly look: () => void;
}

/** Renames the files of all boards; the person sees the progress, and can stop it or undo it. */
export async function nameBoards(
  { app, naming, look }: NameBoardsDeps,
  by: NamedBy,
): Promise<void> {
  const answer = await withProgress(app, (control) => naming().run(by, control));
  look();
  const { renamed } = answer.ok ? answer : { renamed: [] };
  const undo = async () => {
    const back = await withProgress(app, (control) => naming().revert(renamed, control));
    look();
    notify(namingWords(back));
  };
  const button = { label: t('common.undo'), onClick: () => void undo() };
  notify(namingWords(answer), renamed.length === 0 ? undefined : button);
}

/** Describes the outcome for the person. */
function namingWords(answer: NamingAnswer): string {
  if (!answer.ok) return faultText(answer);
  const { renamed, kept, cancelled } = answer;
  const count = renamed.length;
  if (cancelled) return t('board.renamingStopped', { count });
  if (count === 0 && kept.length === 0) return t('board.namedAlready');
  const done = t('board.filesWereRenamed', { count });
  if (kept.length === 0) return done;
  const first = kept.slice(0, 3);
  const more = kept.length - first.length;
  const names =
    more === 0 ? first.join(COMMA) : listed([...first, t('board.countMore', { count: more })]);
  return `${done} ${t('board.nameIsTaken', { names })}`;
}

async function withProgress(
  app: App,
  work: (control: NamingControl) => Promise<NamingAnswer>,
): Promise<NamingAnswer> {
  const stop = new AbortController();
  let done: Promise<NamingAnswer> | undefined;
  await openForm<void>(app, t('board.renameBoardFiles'), (close) => (
    <NamingProgress
      stop={() => stop.abort()}
      run={async (progress) => {
        done ??= work({ progress, cancelled: () => stop.signal.aborted });
        await done;
        close(undefined);
      }}
    />
  ));
  // Closing the dialog stops the work; the file at work is finished first.
  stop.abort();
  if (done === undefined) throw new Error('assertion: a form that was never drawn');
  return done;
}

function NamingProgress({
  run,
  stop,
}: {
  readonly run: (progress: NamingControl['progress']) => Promise<void>;
  readonly stop: () => void;
}) {
  const [progress, setProgress] = useState<readonly [done: number, total: number]>();
  useLayoutEffect(() => void run((...now) => setProgress(now)), []);
  const words = progress && t('board.renaming', { done: progress[0], count: progress[1] });
  return (
    <ProgressForm
      words={words ?? t('board.lookingAtTheBoards')}
      {...(progress !== undefined && { done: progress[0], total: progress[1] })}
      stopping={t('board.stopping')}
      onCancel={stop}
    />
  );
}
