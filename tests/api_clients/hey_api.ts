// The starter bot once more, with the client that @hey-api/openapi-ts makes.
import { act, readMyTurns, type ActData, type TurnItem } from "./typescript-fetch";
import { client } from "./typescript-fetch/client.gen";

client.setConfig({ baseUrl: process.env.HOLOTABLE_URL!, auth: () => process.env.HOLOTABLE_TOKEN! });

function choose({ view, decision }: TurnItem): ActData["body"] {
  for (const legal of view.legal)
    if (legal.verb === "select")
      return { type: "select", decision, cards: view.me!.cards.slice(0, Math.max(1, legal.cards_min)) };
  for (const type of ["improve", "stand", "check", "call", "stay"] as const)
    if (view.legal.some((legal) => legal.verb === type)) return { type, decision };
  return { type: "fold", decision };
}

async function answer(turn: TurnItem): Promise<void> {
  const headers = { "Idempotency-Key": `${turn.table} ${turn.decision}` };
  for (;;) {
    const { response } = await act({ path: { table_id: turn.table }, headers, body: choose(turn) });
    if (response && response.status !== 429 && response.status !== 503) return;
    await new Promise((done) => setTimeout(done, 1000));
  }
}

async function play(): Promise<void> {
  for (let after: string | undefined; ; ) {
    const { data, error } = await readMyTurns({ query: { after, wait: 20 } });
    if (!data) throw new Error(JSON.stringify(error));
    for (const item of data.items) {
      after = item.cursor;
      if (item.type === "turn") await answer(item);
      if (item.type === "tournament" && ["finished", "cancelled"].includes(item.state)) return;
    }
  }
}

void play();
