// A template as a tree: elements and texts that all pages share, and slots where they differ, in the
// colours of the table.
import type { Wrapper } from "./api";
import type { SchemaType } from "./rules";
import { colour } from "./values";
import { t } from "./words/words";

// Roles, as the wrapper file has them: what is in what, and what becomes of it.
interface Role { in?: number; kind: string; tag?: string; class?: string; set?: boolean; optional?: boolean; use?: string; text?: string; field?: string; of?: number; pages?: number }
// The template as published: strings of tokens around slots and sets.
type Slot = "*" | { set: Node; separator?: number[] } | { optional: Node } | Node;
interface Node { tuple: Slot[]; strings: number[][] }

// A token with its path; one of several roles of a token has the number of that token in place of its text.
type Token = [string | number, string];

interface Rules { page?: { roles: Role[]; pages?: number }; template?: { tokens: Token[]; root: Node } }

const inner = (type: SchemaType | undefined): SchemaType | undefined => (type && (type.kind === "optional" || type.kind === "list") && type.item ? inner(type.item) : type);
const nameOf = (type: SchemaType | undefined): string => type?.name ?? (type?.item ? nameOf(type.item) : "");

function SlotChip(props: { name: string; at: number; several?: boolean; some?: string }) {
  return <span class="slot" style={{ "--c": colour(Math.max(0, props.at)) }}><bdi>{props.name}</bdi>{props.several ? <small> {t.templateTree.several}</small> : null}{props.some ? <small> {props.some}</small> : null}</span>;
}

function RoleTree(props: { roles: Role[]; pages: number; columns: string[] }) {
  const { roles, columns } = props;
  const children = new Map<number, number[]>();
  roles.forEach((role, index) => { if (role.in !== undefined) children.set(role.in, [...(children.get(role.in) ?? []), index]); });
  // a field of a list has the colour of the list
  const columnAt = (role: Role): number => { const above = role.of !== undefined ? roles[role.of] : undefined; return above?.field ? columnAt(above) : columns.indexOf(role.field ?? ""); };
  // only what leads to a slot or has a text is worth a line; depth is that of pages, which have a limit
  const tree = (index: number): preact.JSX.Element | null => {
    const role = roles[index]!, below = (children.get(index) ?? []).map(tree).filter(Boolean);
    const some = role.pages && role.pages < props.pages ? t.templateTree.on(role.pages, props.pages) : "";
    const slot = role.field && role.use === "data" ? <SlotChip name={role.field} at={columnAt(role)} some={some} /> : null;
    const list = role.set && role.field && !slot ? <SlotChip name={role.field} at={columnAt(role)} several some={some} /> : null;
    if (!below.length && !slot && !list && !role.text) return null;
    return <li>{role.tag && <code>{`<${role.tag}${role.class ? ` .${role.class.split(/\s+/).join(".")}` : ""}>`}</code>}{role.set && !list ? <small> {t.templateTree.repeated}</small> : null} {list}{slot}{role.text && role.use !== "data" ? <span class="shared">{role.text}</span> : null}
      {below.length > 0 && <ul>{below}</ul>}</li>;
  };
  return <ul>{(children.get(0) ?? []).map(tree)}</ul>;
}

// Which of its roles a token has, where it has several: a small number behind it.
function RoleToken(props: { tokens: Token[]; at: number }) {
  const token = props.tokens[props.at];
  if (typeof token?.[0] !== "number") return <>{token?.[0] ?? ""} </>;
  const roles = props.tokens.flatMap((one, index) => (one[0] === token[0] ? [index] : [])), role = roles.indexOf(props.at) + 1;
  return <span title={t.templateTree.role(role, roles.length)}>{props.tokens[token[0]]?.[0]}<sub>{role}</sub> </span>;
}

function PublishedTree(props: { node: Node; tokens: Token[]; type: SchemaType | undefined; columns: string[]; column?: number }) {
  const { node, tokens, columns } = props, members = inner(props.type)?.members ?? [];
  const words = (string: number[] | undefined) => (string?.length ? <li class="shared">{string.map((at) => <RoleToken tokens={tokens} at={at} />)}</li> : null);
  return <ul>{words(node.strings[0])}{node.tuple.map((slot, index) => {
    const type = members[index], name = nameOf(type), at = props.column ?? columns.indexOf(name);
    const below = slot === "*" ? null : "set" in slot ? slot.set : "optional" in slot ? slot.optional : slot;
    return <>
      <li><SlotChip name={name || t.templateTree.slot(index + 1)} at={at} several={slot !== "*" && "set" in slot} some={slot !== "*" && "optional" in slot ? t.templateTree.perhaps : undefined} />
        {below && below.tuple && <PublishedTree node={below} tokens={tokens} type={type} columns={columns} column={at} />}</li>
      {words(node.strings[index + 1])}</>;
  })}</ul>;
}

// Whether there is a template to draw.
export const hasTemplate = (wrapper: Wrapper) => { const rules = wrapper.rules as Rules | undefined; return !!rules?.page?.roles || !!rules?.template?.root?.tuple; };

export function TemplateTree(props: { wrapper: Wrapper; columns: string[] }) {
  const rules = props.wrapper.rules as Rules;
  return <div class="template-tree" tabIndex={0} role="region" aria-label={t.templateTree.title}>
    {rules.page ? <RoleTree roles={rules.page.roles} pages={rules.page.pages ?? 0} columns={props.columns} />
      : rules.template ? <PublishedTree node={rules.template.root} tokens={rules.template.tokens} type={props.wrapper.schema as SchemaType} columns={props.columns} /> : null}
  </div>;
}
