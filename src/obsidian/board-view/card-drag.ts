import { actionTargets, type Selection } from '../model/selection';
import { isBlocked, dropPosition, type CardDropTarget } from './drop';
import { isWritable } from './shown-boards';
import {
  cellId,
  cardColumn,
  type BoardCard,
  type BoardLayout,
  type Column,
  type LaneKind,
} from './columns';

/** Cards that were picked up, and where they would go. */
export interface CardDrag {
  readonly ids: readonly string[];
  readonly spot: CardDropTarget;
  readonly pointer: boolean;
  /** the pointer is not on a place where cards can be dropped */
  readonly outside?: boolean;
}

/** A carry as the board draws it: where the first card would be dropped. */
export interface DropPreview {
  readonly ids: ReadonlySet<string>;
  readonly card: BoardCard;
  readonly lane: string;
  readonly status: Column;
  /** id of the item after it; undefined: it is the last of its column */
  readonly before: string | undefined;
}

export function draggedCards(layout: BoardLayout, carry: CardDrag): readonly BoardCard[] {
  return carry.ids.flatMap((id) => layout.byId.get(id) ?? []);
}

/**
 * Where the first carried card would be drawn; undefined if nothing moves or the cards are gone.
 */
export function dropPreviewOf(
  layout: BoardLayout,
  kind: LaneKind,
  carry: CardDrag | undefined,
): DropPreview | undefined {
  if (carry === undefined || carry.outside === true) return undefined;
  const cards = draggedCards(layout, carry);
  const [card] = cards;
  const there = dropPosition(layout, kind, cards, carry.spot);
  if (card === undefined || there === undefined) return undefined;
  const { lane, status } = carry.spot;
  const items = layout.lanes.find(({ id }) => id === lane)?.items.get(status) ?? [];
  // Waiting cards follow the last ready one.
  const waiting = `waiting\n${cellId(lane, status)}`;
  const behind = isBlocked(card) ? undefined : items.find(({ id }) => id === waiting)?.id;
  const before = there.others[there.at]?.id ?? behind;
  return { ids: new Set(carry.ids), card, lane, status, before };
}

/**
 * Picks up a card, with the other selected ones if it is selected; undefined if it can't be moved.
 */
export function pickUpCards(
  {
    layout,
    ui,
  }: { readonly layout: BoardLayout; readonly ui: { readonly picked: Pick<Selection, 'ids'> } },
  id: string,
  pointer: boolean,
): CardDrag | undefined {
  const card = layout.byId.get(id);
  if (card === undefined || !isWritable(card.board)) return undefined;
  const lane = layout.lanes.find(({ cards }) =>
    cards.get(cardColumn(card.task))?.some((one) => one.id === id),
  );
  const cards = actionTargets(ui.picked, id, (one) => layout.byId.get(one));
  const ids = [id, ...cards.map((one) => one.id).filter((one) => one !== id)];
  const status = cardColumn(card.task);
  return lane && { ids, spot: { lane: lane.id, status }, pointer };
}
