import { useContext } from 'preact/hooks';
import type { RunView } from '../../core/orchestrator/runs';
import { Icon } from '../part/icon';
import { Spinner } from '../part/spinner';
import type { Deed } from './deed';
import { figures, type Figures } from './figures';
import { estimateWords, headWords } from './head-words';
import { DeedButtons } from './deed-buttons';
import { runOf, stateWords } from './run-of';
import { Section } from './section';
import { Doing } from './use-doing';

/** Where the run stands, what it is for, and what it used of what it may. */
export function RunHead(props: {
  readonly view: RunView;
  /** ms since the epoch */
  readonly now: number;
  readonly phone: boolean;
  readonly onDo: (deed: Deed) => void;
}) {
  const { view, now } = props;
  const words = headWords(view);
  const doing = useContext(Doing);
  const estimate = estimateWords(view);
  const run = runOf(view);
  const used = figures(view, now);
  const approving = view.state.kind === 'going' && view.state.stage.kind === 'approving';
  return (
    <div class="atb-run-head">
      <div class="atb-run-line">
        <div class="atb-run-state" role="status" data-tone={words.tone}>
          {doing !== undefined || words.icon === 'spinner' ? (
            <Spinner />
          ) : (
            <Icon name={words.icon} />
          )}
          <span>{doing ?? stateWords(view)}</span>
        </div>
        {estimate !== '' && <Estimate words={estimate} />}
      </div>
      {run !== undefined && <Goal goal={run.wish.goal} />}
      {words.text !== '' && <p class="atb-run-cause">{words.text}</p>}
      <DeedButtons primary buttons={words.buttons} onDo={({ deed }) => props.onDo(deed)} />
      {used !== undefined && !approving && <Used used={used} phone={props.phone} />}
    </div>
  );
}

/** How long is large; what says so stands quieter below it. */
function Estimate({ words }: { readonly words: string }) {
  const [long = words, ...from] = words.split(', ');
  return (
    <div class="atb-run-left">
      {long}
      {from.length > 0 && (
        <span class="atb-run-from">
          <span class="atb-unseen">, </span>
          {from.join(', ')}
        </span>
      )}
    </div>
  );
}

/** A long goal is cut to some lines; its title tells all of it. */
function Goal({ goal }: { readonly goal: string }) {
  return (
    <div class="atb-run-goal" title={goal}>
      {goal}
    </div>
  );
}

function Used({ used, phone }: { readonly used: Figures; readonly phone: boolean }) {
  const { done, total, lines } = used;
  const list = (
    <dl class="atb-run-figures">
      {lines.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
  return (
    <>
      <div
        class="atb-bar atb-run-bar"
        role="progressbar"
        aria-label={`Steps, ${done} of ${total}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(1, total)}
        aria-valuenow={done}
        aria-valuetext={`${done} of ${total}`}
      >
        <span style={{ width: `${total === 0 ? 0 : (100 * done) / total}%` }} />
      </div>
      {phone ? (
        <Section name="Limits" aside={lines[0]?.value} folded>
          {list}
        </Section>
      ) : (
        list
      )}
    </>
  );
}
