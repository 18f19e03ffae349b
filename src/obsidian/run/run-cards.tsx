import { count } from '../../core/orchestrator/counts';
import type { RunView } from '../../core/orchestrator/runs';
import { Icon } from '../part/icon';
import { useName } from '../part/use-name';
import { attention } from './attention';
import type { Deed } from './deed';
import { reasonCard, type ReasonCard } from './reason-card';
import { DeedButtons } from './deed-buttons';

/** Cards that are drawn; the rest is counted. */
const MOST = 20;

/** What needs the person, each with what can be done about it. */
export function RunCards(props: { readonly view: RunView; readonly onDo: (deed: Deed) => void }) {
  const { view, onDo } = props;
  const reasons = attention(view);
  const left = reasons.length - MOST;
  return (
    <>
      {reasons.slice(0, MOST).map((why, at) => {
        const card = reasonCard(view, why);
        const primary = at === 0 && view.state.kind === 'waiting';
        return <Card key={card.key} {...{ card, primary, onDo }} />;
      })}
      {left > 0 && <p class="atb-run-none">And {count(left)} more.</p>}
    </>
  );
}

function Card(props: {
  readonly card: ReasonCard;
  readonly primary: boolean;
  readonly onDo: (deed: Deed) => void;
}) {
  const { card, primary } = props;
  const [named, name] = useName(card.title);
  return (
    <div class="atb-card atb-run-card" role="group" data-tone={card.tone} {...named}>
      {name}
      <Icon name={card.icon} />
      <div class="atb-card-body">
        <div class="atb-run-card-title">{card.title}</div>
        {card.text !== '' && <div class="atb-card-text">{card.text}</div>}
        <DeedButtons
          {...{ primary, buttons: card.buttons }}
          onDo={({ deed }) => props.onDo(deed)}
        />
      </div>
    </div>
  );
}
