import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./api";

export type { components, paths };
/** Every named type of the API, as in `Schemas["TurnItem"]`. */
export type Schemas = components["schemas"];
export type Action = paths["/v1/tables/{table_id}/actions"]["post"]["requestBody"]["content"]["application/json"];

/** Return a client of the server at `url`, whose requests carry `token`. */
export function holotable(url: string, token: string): Client<paths> {
  return createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
}
