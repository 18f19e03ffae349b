import { useState } from 'preact/hooks';

/** Drags a row of the person's own to another one's place. */
export function useRuleDrag(
  preset: number,
  move: (row: number, to: number) => Promise<boolean>,
): {
  /** the row that it would take the place of */
  readonly over: number | undefined;
  readonly grip: (row: number) => object;
  readonly target: (row: number) => object;
} {
  const [from, setFrom] = useState<number>();
  const [over, setOver] = useState<number>();
  const end = () => {
    setFrom(undefined);
    setOver(undefined);
  };
  return {
    over,
    grip: (row) => ({
      draggable: true,
      onDragStart: (event: DragEvent) => {
        event.dataTransfer?.setData('text/plain', '');
        setFrom(row);
      },
      onDragEnd: end,
    }),
    target: (row) => ({
      onDragOver: (event: DragEvent) => {
        if (from === undefined || row < preset) return;
        event.preventDefault();
        setOver(row);
      },
      onDrop: (event: DragEvent) => {
        if (from === undefined || row < preset) return;
        event.preventDefault();
        end();
        if (row !== from) void move(from, row);
      },
    }),
  };
}
