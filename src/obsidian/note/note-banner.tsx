import type { Board } from '../../core/board/task';
import { Banner } from '../part/banner';
import { RepairBanner } from '../sidebar/repair-banner';

export interface NoteBannerProps {
  readonly board: Board;
  readonly mode: 'reading' | 'source';
  /** why what was typed is not saved */
  readonly fault: string | null;
  /** the note is too long to be read at once */
  readonly long: boolean;
  readonly onOpenAt: (line: number) => void;
  readonly onCheckAgain: () => void;
  readonly onTryAgain: () => void;
  readonly onReadAnyway: () => void;
}

/** What a person should know about the note before they read or write on. */
export function NoteBanner(props: NoteBannerProps) {
  const { board, fault, long, mode } = props;
  return (
    <>
      {fault !== null && (
        <Banner
          icon="circle-alert"
          tone="error"
          label="The board was not saved"
          title="The board was not saved"
          text={`${fault} Your change is kept here.`}
          buttons={[{ label: 'Try again', onClick: props.onTryAgain }]}
        />
      )}
      <RepairBanner
        board={board}
        intents={{
          open: () => props.onOpenAt(board.broken?.line ?? 1),
          checkAgain: props.onCheckAgain,
        }}
      />
      {long && mode === 'source' && (
        <Banner
          icon="file-text"
          label="This note is long"
          title="This note is long, so it opens in source mode."
          text=""
          buttons={[{ label: 'Read anyway', quiet: true, onClick: props.onReadAnyway }]}
        />
      )}
    </>
  );
}
