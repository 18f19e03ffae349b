import type { App } from 'obsidian';
import { useLayoutEffect, useState } from 'preact/hooks';
import {
  namingWords,
  type BoardNaming,
  type NamedBy,
  type NamingAnswer,
  type NamingControl,
} from '../../core/board/names/name-boards';
import { openForm } from '../ui/dialog';
import { notify } from '../ui/notify';
import { ProgressForm } from './move-boards';

interface Around {
  readonly app: App;
  readonly naming: () => BoardNaming;
  /** Looks at the boards now. */
  readonly look: () => void;
}

/** Names the files of all boards for the person, who sees how far it is and can stop it or take it back. */
export async function nameBoards({ app, naming, look }: Around, by: NamedBy): Promise<void> {
  const answer = await withProgress(app, (control) => naming().run(by, control));
  look();
  const { renamed } = answer.ok ? answer : { renamed: [] };
  const undo = async () => {
    const back = await withProgress(app, (control) => naming().takeBack(renamed, control));
    look();
    notify(namingWords(back));
  };
  const button = { label: 'Undo', onClick: () => void undo() };
  notify(namingWords(answer), renamed.length === 0 ? undefined : button);
}

async function withProgress(
  app: App,
  work: (control: NamingControl) => Promise<NamingAnswer>,
): Promise<NamingAnswer> {
  const stop = new AbortController();
  let done: Promise<NamingAnswer> | undefined;
  await openForm<void>(app, 'Rename board files', (close) => (
    <Naming
      stop={() => stop.abort()}
      run={async (progress) => {
        done ??= work({ progress, cancelled: () => stop.signal.aborted });
        await done;
        close(undefined);
      }}
    />
  ));
  // Closed meanwhile means stopped; what is under way ends first.
  stop.abort();
  if (done === undefined) throw new Error('assertion: a form that was never drawn');
  return done;
}

function Naming({
  run,
  stop,
}: {
  readonly run: (progress: NamingControl['progress']) => Promise<void>;
  readonly stop: () => void;
}) {
  const [progress, setProgress] = useState<readonly [done: number, total: number]>();
  useLayoutEffect(() => void run((...now) => setProgress(now)), []);
  const words = progress && `Renaming: ${progress[0]} of ${progress[1]} files.`;
  return (
    <ProgressForm
      words={words ?? 'Looking at the boards…'}
      {...(progress !== undefined && { done: progress[0], total: progress[1] })}
      stopping="Stopping…"
      onCancel={stop}
    />
  );
}
