import type { ComponentChildren } from 'preact';
import type { Instruction } from '../../core/config/instructions';
import { PERMISSIONS } from '../../core/config/config-schema';
import type { Origin, SourcedRule, ResolvedAgent } from '../../core/config/resolve-agent';
import { visibleText } from '../../core/permission/audit/redact';
import type { Skill } from '../../core/config/skills';
import { VisibleText } from '../ui/diff-view';
import { Button, useAccessibleName } from '../ui/icon';
import type { permissionNameTexts } from '../language/en/config';
import { plainLine } from '../ui/text';
import { listed } from '../language/listed';
import { t } from '../language/text';
import { canOpen } from './config-note-view';

type OpenFile = (file: string, line: number) => void;

/** The settings of an agent, each with the file that it comes from. */
export function AgentDetails(props: { readonly agent: ResolvedAgent; readonly onOpen: OpenFile }) {
  const { agent, onOpen } = props;
  const { mode, model, tools, temperature, topP, steps, color, description, prompt } = agent;
  const { permissions, skills, instructions, builtIn, system } = agent;
  const isHidden = prompt === undefined && builtIn;
  return (
    <>
      <dl class="atb-agents-parts">
        <DetailRow name={t('config.description')} from={description?.from} {...{ onOpen }}>
          {description?.value ?? (builtIn ? t('config.builtIn') : t('config.noDescription'))}
        </DetailRow>
        <DetailRow name={t('config.mode')} from={mode.from} {...{ onOpen }}>
          {modeWords(mode.value)}
        </DetailRow>
        <DetailRow name={t('config.model')} from={model?.from} {...{ onOpen }}>
          {model?.value ?? t('config.openCodesModel')}
        </DetailRow>
        <DetailRow name={t('config.temperature')} from={temperature?.from} {...{ onOpen }}>
          {temperature?.value ?? t('config.modelsOwn')}
        </DetailRow>
        {topP !== undefined && (
          <DetailRow name={t('config.topP')} from={topP.from} {...{ onOpen }}>
            {topP.value}
          </DetailRow>
        )}
        <DetailRow name={t('config.steps')} from={steps?.from} {...{ onOpen }}>
          {steps?.value ?? t('config.noLimit')}
        </DetailRow>
        {color !== undefined && (
          <DetailRow name={t('config.color')} from={color.from} {...{ onOpen }}>
            {color.value}
          </DetailRow>
        )}
        <DetailRow name={t('config.tools')} from={tools?.from} {...{ onOpen }}>
          {tools === undefined ? t('config.allowedTools') : toolWords(tools.value)}
        </DetailRow>
        <DetailRow name={t('config.permissions')}>
          {t(permissions.length === 0 ? 'config.openCodesRules' : 'config.openCodesRulesFirst')}
          {permissions.length > 0 && (
            <ol>
              {permissions.map((rule, at) => (
                <li key={at}>
                  {permissionRule(rule)} <OriginLinks from={[rule.from]} {...{ onOpen }} />
                </li>
              ))}
            </ol>
          )}
        </DetailRow>
        <DetailRow name={t('config.skills')}>
          {skills.length === 0
            ? t('config.none')
            : listed(
                skills.map(({ name, whole }) => (whole ? t('config.wholeSkill', { name }) : name)),
              )}
        </DetailRow>
        <DetailRow name={t('config.instructions')}>
          {instructions.length === 0
            ? t('config.none')
            : listed(instructions.map(({ file }) => file))}
        </DetailRow>
        <DetailRow name={t('config.prompt')} from={prompt?.from} {...{ onOpen }}>
          {isHidden
            ? t(system === '' ? 'config.promptBuiltInOnly' : 'config.promptNotReadable')
            : system === '' && t('config.noPrompt')}
        </DetailRow>
      </dl>
      <LongText name={t('config.resolvedPrompt', { name: agent.name })} text={system} />
    </>
  );
}

export function SkillDetails(props: { readonly skill: Skill; readonly onOpen: OpenFile }) {
  const { name, file, content } = props.skill;
  return (
    <>
      <dl class="atb-agents-parts">
        <DetailRow name={t('config.source')} from={[{ file, line: 0 }]} onOpen={props.onOpen} />
      </dl>
      <LongText name={t('config.skillText', { name })} text={content.trim()} />
    </>
  );
}

export function InstructionDetails({ instruction }: { readonly instruction: Instruction }) {
  const { file, text } = instruction;
  if (text === undefined) return <p class="atb-agents-words">{t('config.atEachPrompt')}</p>;
  return <LongText name={t('config.skillText', { name: file })} text={text.trim()} />;
}

function DetailRow(props: {
  readonly name: string;
  readonly from?: readonly Origin[] | undefined;
  readonly onOpen?: OpenFile;
  readonly children?: ComponentChildren;
}) {
  const { name, from = [], onOpen, children } = props;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {typeof children === 'string' ? <VisibleText text={children} /> : children}{' '}
        {onOpen !== undefined && <OriginLinks {...{ from, onOpen }} />}
      </dd>
    </>
  );
}

function OriginLinks({
  from,
  onOpen,
}: {
  readonly from: readonly Origin[];
  readonly onOpen: OpenFile;
}) {
  return (
    <>
      {from
        .filter(({ file }) => file !== '')
        .map(({ file, line }) => {
          const place = plainLine(line === 0 ? file : t('config.at', { file, line }));
          return canOpen(file) ? (
            <Button
              key={place}
              kind="quiet"
              class="atb-agents-link"
              words={place}
              onClick={() => onOpen(file, line)}
            />
          ) : (
            <span class="atb-agents-place" key={place}>
              {place}
            </span>
          );
        })}
    </>
  );
}

/** A text in its own scroll area. */
function LongText({ name, text }: { readonly name: string; readonly text: string }) {
  const [named, words] = useAccessibleName(name);
  if (text === '') return null;
  return (
    <>
      {words}
      <pre class="atb-agents-text" tabIndex={0} role="region" {...named}>
        <VisibleText {...{ text }} />
      </pre>
    </>
  );
}

function toolWords(tools: Readonly<Record<string, boolean>>): string {
  return listed(
    Object.entries(tools).map(([tool, on]) => t(on ? 'config.toolOn' : 'config.toolOff', { tool })),
  );
}

/** "Asks first: run commands, for git push*". */
export function permissionRule({ permission, pattern, action }: SourcedRule): string {
  const isKnown = (name: string): name is keyof typeof permissionNameTexts =>
    PERMISSIONS.includes(name) && name !== '*';
  const what =
    permission === '*'
      ? t('permissionName.all')
      : isKnown(permission) && permission !== 'other'
        ? t(`permissionName.${permission}`)
        : t('permissionName.other', { name: visibleText(permission) });
  if (pattern === '*') return t(`ruleAction.${action}`, { what });
  return t(`ruleAction.${action}For`, { what, pattern: visibleText(pattern) });
}

/** `all`, `primary` or `subagent` in words. */
export function modeWords(mode: string): string {
  const known = mode === 'primary' || mode === 'subagent' ? mode : 'all';
  return t(`configMode.${known}`);
}
