import { Banner, Countdown } from '../ui/banner';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { lossWords, plainLine } from '../ui/text';
import { isFeatureAvailable, type ConnectionState } from '../../core/session/connection';
import { hostTitle } from '../../core/session/session-host';
import type { BridgeFile } from '../model/overview';
import { Button, Icon } from '../ui/icon';
import type { Intents } from '../board/intents';
import { t, tNodes, translated } from '../language/text';

/** The steps to take before there is anything to show, each with its state. */
export function EmptyState(props: {
  readonly bridge: BridgeFile;
  readonly connection: ConnectionState;
  readonly canInstall: boolean;
  readonly hasOpenCode: () => Promise<boolean>;
  readonly intents: Intents;
}) {
  const installed = props.bridge === 'current' || props.bridge === 'older';
  const connected = isFeatureAvailable(props.connection, 'start');
  const own = connected ? bridgelessTitle(props.connection) : undefined;
  const { intents, canInstall } = props;
  const missing = useOpenCodeMissing(props.hasOpenCode, canInstall && !connected);
  return (
    <div class="atb-empty">
      <Icon name="list-checks" />
      <h3>{t('embed.noPlansYet')}</h3>
      <p>{t('sidebar.noPlansText')}</p>
      <ol class="atb-steps">
        {!canInstall || own !== undefined ? null : installed ? (
          <Step done title={t('sidebar.bridgeInstalledInThisVault')} />
        ) : (
          <Step title={t('sidebar.installTheBridge')} text={t('sidebar.oneFileInThisVault')} />
        )}
        {connected ? (
          <Step
            done
            title={
              own === undefined ? t('sidebar.openCodeConnected') : t('ui.connected', { what: own })
            }
          />
        ) : !canInstall ? (
          <Step title={t('conversation.chooseAModel')} text={t('sidebar.chooseAProvider')} />
        ) : (
          <Step
            title={t('sidebar.startOpenCodeInThisVault')}
            text={installed && !missing ? t('sidebar.restartOpenCode') : ''}
          >
            {missing && (
              <small>
                {t('sidebar.openCodeNotFound')}{' '}
                <a href={INSTALL_URL}>{t('sidebar.howToInstall')}</a>
              </small>
            )}
          </Step>
        )}
        <Step title={t('sidebar.startASession')} text={t('sidebar.sayWhatYouWant')} />
      </ol>
      {!connected && canInstall && <p>{t('sidebar.orChooseAModel')}</p>}
      {!installed && own === undefined && canInstall && (
        <Button
          kind="cta"
          words={t('sidebar.installBridge')}
          onClick={() => intents.installBridge()}
        />
      )}
      {installed && !connected && canInstall && (
        <Button kind="cta" words={t('sidebar.copyCommand')} onClick={() => intents.copyCommand()} />
      )}
      {connected && (
        <Button
          kind="cta"
          words={t('common.startSession')}
          onClick={() => intents.startSession()}
        />
      )}
    </div>
  );
}

/** Title of an agent that needs no bridge in OpenCode, so that nothing has to be installed. */
function bridgelessTitle(connection: ConnectionState): string | undefined {
  if (connection.kind !== 'connected') return undefined;
  const { name, title } = connection.engine;
  if (name === 'opencode' && title === undefined) return undefined;
  return plainLine(hostTitle(connection));
}

/** OpenCode's instructions for its installation. */
const INSTALL_URL = 'https://opencode.ai/docs/';

/** Whether no OpenCode is found; checks each time that one becomes needed. */
function useOpenCodeMissing(hasOpenCode: () => Promise<boolean>, needed: boolean): boolean {
  const [missing, setMissing] = useState(false);
  useLayoutEffect(() => {
    let isDisposed = false;
    setMissing(false);
    if (needed) void hasOpenCode().then((has) => !isDisposed && setMissing(!has));
    return () => {
      isDisposed = true;
    };
  }, [hasOpenCode, needed]);
  return missing;
}

function Step(props: {
  readonly title: string;
  readonly text?: string;
  readonly done?: boolean;
  readonly children?: ComponentChildren;
}) {
  const done = props.done === true;
  return (
    <li data-done={done}>
      <span class="atb-mark" data-state={done ? 'completed' : 'ready'} aria-hidden="true" />
      <span>
        {props.title}
        {done && <span class="atb-unseen">{t('sidebar.stepDone')}</span>}
        {props.text !== undefined && props.text !== '' && <small>{props.text}</small>}
        {props.children}
      </span>
    </li>
  );
}

/** Placeholders for rows while the boards are read for the first time. */
export function Placeholders() {
  return (
    <div role="status" aria-label={t('sidebar.loadingTasks')}>
      {[126, 168, 100, 147].map((width) => (
        <div class="atb-placeholder" key={width}>
          <span style={{ width: `${width}px` }} />
        </div>
      ))}
    </div>
  );
}

/** Shown if the filter matches no row. */
export function NoMatch(props: { readonly onClear: () => void }) {
  return (
    <Banner
      icon="list-filter"
      label={t('common.noTaskMatches')}
      text={t('boardView.clearFilterToSeeAll')}
      buttons={[{ label: t('sidebar.clear'), onClick: props.onClear }]}
    />
  );
}

/** A problem of the connection; nothing while all is well. */
export function ConnectionBanner(props: {
  readonly connection: ConnectionState;
  readonly canConnect: boolean;
  readonly intents: Pick<Intents, 'connect' | 'installBridge'>;
}) {
  const { connection, intents } = props;
  const connect = props.canConnect
    ? [{ label: t('sidebar.connect'), onClick: () => intents.connect() }]
    : [];
  const failed = { icon: 'circle-alert', tone: 'error' } as const;
  switch (connection.kind) {
    case 'connected':
    case 'connecting':
      return null;
    case 'disconnected':
      return (
        <Banner
          icon="unplug"
          label={t('sidebar.notConnectedToAnAgent')}
          text={t('sidebar.editWithoutAgent')}
          buttons={connect}
        />
      );
    case 'reconnecting':
      return (
        <Banner
          icon="spinner"
          label={t('sidebar.reconnecting')}
          title={tNodes('sidebar.reconnectingIn', {
            time: <Countdown key="at" at={connection.at} />,
          })}
          text={lossWords(connection)}
          buttons={[{ label: t('sidebar.tryNow'), onClick: () => intents.connect() }]}
        />
      );
    case 'failed':
      return connection.code === 'version' ? (
        <Banner
          {...failed}
          label={t('sidebar.bridgeTooOld')}
          text={t('sidebar.updateThenRestart')}
          buttons={[{ label: t('app.updateBridge'), onClick: () => intents.installBridge() }]}
        />
      ) : (
        <Banner
          {...failed}
          label={t('sidebar.notConnectedToAnAgent')}
          text={translated(connection.message)}
          buttons={connect}
        />
      );
  }
}
