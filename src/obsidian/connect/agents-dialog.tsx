import { Platform, type App } from 'obsidian';
import { useLayoutEffect, useState } from 'preact/hooks';
import {
  configText,
  connectCommand,
  type ClientState,
  type ConnectedClient,
} from '../../core/connect/clients';
import { INSTRUCTIONS } from '../../core/connect/plan-instructions';
import type { CoreServices } from '../app/core-services';
import { useOverview, type Overview } from '../model/overview';
import { FoldHead } from '../ui/banner';
import { openForm } from '../ui/dialog';
import { IconButton } from '../ui/icon';
import { copyText, failureWords, notify } from '../ui/notify';
import { t } from '../language/text';

type Agents = NonNullable<CoreServices['agents']>;

const STATES: Readonly<Record<ClientState, string>> = {
  connected: t('connect.connected'),
  other: t('connect.anotherVault'),
  none: t('connect.notConnected'),
  unreadable: t('connect.unreadable'),
};

/** Shows how to connect other agents to this vault, and which are connected. */
export function showAgents(app: App, agents: Agents, overview: Overview): void {
  const draw = () => <AgentList {...{ agents, overview }} />;
  void openForm<never>(app, t('connect.connectAnAgent'), draw, true);
}

function AgentList(props: { readonly agents: Agents; readonly overview: Overview }) {
  const { agents, overview } = props;
  // With the bridge, OpenCode has access to the boards already.
  const bridge = ['current', 'older'].includes(useOverview(overview).bridge);
  const [list, setList] = useState<readonly ConnectedClient[] | string>(t('connect.looking'));
  useLayoutEffect(() => {
    const failed = (error: unknown) => failureWords(t('connect.configurationsUnreadable'), error);
    void agents.states().then(setList, (error: unknown) => setList(failed(error)));
  }, [agents]);
  if (typeof list === 'string') return <p role="status">{list}</p>;
  return (
    <>
      <p>{t('connect.howAgentsConnect')}</p>
      {list.map((one) => (
        <AgentSection
          key={one.client.name}
          {...one}
          vault={agents.folder}
          bridge={bridge && one.client.name === 'opencode'}
        />
      ))}
      <Instructions />
    </>
  );
}

function Instructions() {
  const [open, setOpen] = useState(false);
  return (
    <section class="atb-agent" aria-label={t('connect.instructions')}>
      <FoldHead class="atb-run-fold" open={open} onToggle={() => setOpen(!open)}>
        {t('connect.instructions')}
      </FoldHead>
      {open && (
        <>
          <p>{t('connect.instructionsHelp')}</p>
          <CopyableCode text={INSTRUCTIONS} label={t('connect.copyInstructions')} />
        </>
      )}
    </section>
  );
}

function AgentSection(
  props: ConnectedClient & { readonly vault: string; readonly bridge: boolean },
) {
  const { client, config, state, vault, bridge } = props;
  const [open, setOpen] = useState(false);
  const { label } = client;
  const server = { command: 'agent-boards', args: ['mcp', '--vault', vault] };
  return (
    <section class="atb-agent" aria-label={label}>
      <h3>
        {label}
        <span class="atb-agent-state" data-state={bridge ? 'connected' : state}>
          {bridge ? t('connect.connectedByBridge') : STATES[state]}
        </span>
      </h3>
      {!bridge && (
        <>
          <CopyableCode
            text={connectCommand(client, vault, Platform.isWin)}
            label={t('connect.copyCommand', { label })}
          />
          <FoldHead class="atb-run-fold" open={open} onToggle={() => setOpen(!open)}>
            {t('connect.configuration')}
          </FoldHead>
          {open && (
            <>
              <p class="atb-agent-file">{config}</p>
              <CopyableCode
                text={configText(client, server)}
                label={t('connect.copyConfiguration', { label })}
              />
            </>
          )}
        </>
      )}
    </section>
  );
}

/** A text to copy, shown verbatim. */
export function CopyableCode({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="atb-code">
      <div class="atb-code-head">
        <IconButton icon="copy" label={label} onClick={() => void copyText(text, notify)} />
      </div>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}
