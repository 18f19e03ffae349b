import { useLayoutEffect, useState } from 'preact/hooks';
import { visibleText } from '../../../core/permission/audit/visible-text';
import type { BoardFolders } from '../../../core/permission/board-folders';
import { useArmed } from '../../ask/armed';
import { Banner } from '../../part/banner';

/** The folders that held boards and that agents don't reach, until the person says so. */
export function LeftBoards(props: {
  readonly folders: Pick<BoardFolders, 'left' | 'release' | 'onChange'>;
}) {
  const { folders } = props;
  const [, draw] = useState(0);
  useLayoutEffect(() => folders.onChange(() => draw((count) => count + 1)), [folders]);
  const { left } = folders;
  // A click on its way to what stood there a moment ago releases nothing else.
  const armed = useArmed(left.join('\n'));
  if (left.length === 0) return null;
  const title = 'The boards were in another folder before';
  return (
    <Banner
      icon="shield"
      label={title}
      title={title}
      text={
        <>
          <p>
            Boards may still be there, so agents don’t reach it with note tools. Release it once no
            board is left in it.
          </p>
          <ul class="atb-rule-changes">
            {left.map((folder) => (
              <li key={folder}>{visibleText(folder)}</li>
            ))}
          </ul>
        </>
      }
      buttons={[
        { label: 'Release', disabled: !armed, onClick: () => armed && folders.release(left) },
      ]}
    />
  );
}
