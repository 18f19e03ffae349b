import { useEffect, useState } from 'preact/hooks';
import type { Need } from '../ask/need';
import type { Undo } from '../../core/ports';
import { NeedCard, type CardIntents } from './need-card';

/** What waits now, and word of each change. */
export interface NeedsSource {
  needs(): readonly Need[];
  onChange(listener: () => void): Undo;
}

/** What waits for the person, collected in one place. */
export function NeedsYou(props: { readonly source: NeedsSource; readonly intents: CardIntents }) {
  const [open, setOpen] = useState(true);
  const { source } = props;
  const [needs, setNeeds] = useState(() => source.needs());
  useEffect(() => {
    setNeeds(source.needs());
    return source.onChange(() => setNeeds(source.needs()));
  }, [source]);
  if (needs.length === 0) return null;
  return (
    <section class="atb-needs" aria-label={`Needs you, ${needs.length}`}>
      <button
        type="button"
        class="atb-needs-head"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span class="atb-twisty" aria-hidden="true" />
        Needs you <span class="atb-badge">{needs.length}</span>
      </button>
      {open &&
        needs.map((need, place) => (
          <NeedCard
            key={need.request.requestId}
            need={need}
            place={place}
            intents={props.intents}
          />
        ))}
    </section>
  );
}
