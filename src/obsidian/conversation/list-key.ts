import { unfolds, type TalkItem } from './talk-items';

interface ListKeyContext {
  readonly items: readonly TalkItem[];
  /** the block that has the keyboard */
  readonly stop: string | undefined;
  readonly isOpen: (item: TalkItem) => boolean;
  readonly go: (key: string | undefined) => void;
  readonly toggle: (key: string) => void;
}

/** Arrows go from block to block and unfold; inside of a block its own keys mean what they mean. */
export function listKey(event: KeyboardEvent, context: ListKeyContext): void {
  const { target } = event;
  const onBlock = target instanceof HTMLElement && target.dataset['block'] !== undefined;
  if (!onBlock || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!act(event.key, context)) return;
  event.preventDefault();
  event.stopPropagation();
}

function act(key: string, { items, stop, isOpen, go, toggle }: ListKeyContext): boolean {
  const at = items.findIndex((item) => item.key === stop);
  const item = items[at];
  if (item === undefined) return false;
  switch (key) {
    case 'ArrowUp':
      go(items[Math.max(0, at - 1)]?.key);
      return true;
    case 'ArrowDown':
      go(items[Math.min(items.length - 1, at + 1)]?.key);
      return true;
    case 'Home':
      go(items[0]?.key);
      return true;
    case 'End':
      go(items.at(-1)?.key);
      return true;
    case 'ArrowRight':
    case 'ArrowLeft':
      if (unfolds(item.block) && isOpen(item) !== (key === 'ArrowRight')) toggle(item.key);
      return true;
    case 'Enter':
    case ' ':
      if (!unfolds(item.block)) return false;
      toggle(item.key);
      return true;
    default:
      return false;
  }
}
