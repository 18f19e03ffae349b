import { useEffect, useState } from 'preact/hooks';
import { needShort, needQuestion, type Need } from '../ask/need';
import type { Undo } from '../../core/ports';
import { Icon } from '../part/icon';

/** What waits now, and word of each change. */
export interface NeedsSource {
  needs(): readonly Need[];
  onChange(listener: () => void): Undo;
}

/** What waits for the person, collected in one place; each opens the dialog that shows it in full. */
export function NeedsYou(props: {
  readonly source: NeedsSource;
  readonly onReview: (requestId: string) => void;
}) {
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
        needs.map((need) => (
          <NeedCard
            key={need.request.requestId}
            need={need}
            onReview={() => props.onReview(need.request.requestId)}
          />
        ))}
    </section>
  );
}

function NeedCard({ need, onReview }: { readonly need: Need; readonly onReview: () => void }) {
  const permission = need.kind === 'permission';
  const title = need.session.title === '' ? need.session.id : need.session.title;
  return (
    <div
      class="atb-card"
      role="group"
      aria-label={needQuestion(need)}
      data-need={need.request.requestId}
    >
      <Icon name={permission ? 'shield-question-mark' : 'message-circle-question-mark'} />
      <div class="atb-card-body">
        <div>{needQuestion(need)}</div>
        <div class="atb-card-text">
          {permission ? `${title} · ${needShort(need)}` : `${title} asks`}
        </div>
        <div class="atb-buttons">
          <button type="button" class="mod-cta atb-button" onClick={onReview}>
            {permission ? 'Review' : 'Answer'}
          </button>
        </div>
      </div>
    </div>
  );
}
