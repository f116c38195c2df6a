"""The refusals of a league."""

from datetime import datetime

from engine.errors import CommandRejected, Wording


class LeagueNotCreated(CommandRejected):
    """The league does not exist yet."""

    code = "league_not_created"
    detail = "the league does not exist"


class LeagueNameInvalid(CommandRejected):
    """The name is empty or too long."""

    code = "league_name_invalid"
    detail = "a league's name has 1 to {length_max} characters, not {length}"

    length: int
    length_max: int


class LeagueDescriptionInvalid(CommandRejected):
    """A part of a league's description is empty, too long or out of range."""

    code = "league_description_invalid"
    detail = "{field} {problem}"

    field: str
    problem: Wording


class MemberUnknown(CommandRejected):
    """The player is not a member."""

    code = "member_unknown"
    detail = "the player is not a member of this league"


class AlreadyMember(CommandRejected):
    """The player is already a member, in another role."""

    code = "already_member"
    detail = "the player is already a member, as {role}"

    role: str


class LastOwner(CommandRejected):
    """A league always has an owner."""

    code = "last_owner"
    detail = "the last owner of a league can neither leave nor step down; name another owner first"


class MemberPlaying(CommandRejected):
    """The player is in a running tournament of the league."""

    code = "member_playing"
    detail = (
        "the player is in a running tournament of this league: wait until they are out or it is"
        " over, or have a director who does not play disqualify them"
    )

    tournaments: tuple[str, ...]


class InvitationUnknown(CommandRejected):
    """The invitation does not exist, was revoked, or is used up."""

    code = "invitation_unknown"
    detail = "the invitation does not exist, was revoked, or is used up"


class InvitationExpired(CommandRejected):
    """The invitation has expired."""

    code = "invitation_expired"
    detail = "the invitation has expired"


class InvitationInvalid(CommandRejected):
    """The invitation could never be used, or would give a league away."""

    code = "invitation_invalid"
    detail = "{problem}"

    problem: Wording


class PlayerBanned(CommandRejected):
    """The player is banned from this league."""

    code = "player_banned"
    detail = "the player is banned for good"

    until: datetime | None

    def __init__(self, *, until: datetime | None) -> None:
        super().__init__(until=until)
        if until is not None:
            self.detail = f"the player is banned until {until.isoformat()}"


class OpeningInvalid(CommandRejected):
    """An opening must end in the future and may not last long."""

    code = "opening_invalid"
    detail = "an opening must end in the future, after {hours_max} hours at most"

    hours_max: int


class StaffNotBannable(CommandRejected):
    """Staff cannot be banned. An owner has to take the office away first."""

    code = "staff_not_bannable"
    detail = "the player holds an office in this league; an owner has to take it away first"


class BanInvalid(CommandRejected):
    """The ban would end before it begins."""

    code = "ban_invalid"
    detail = "{problem}"

    problem: Wording


class MergedPlayer(CommandRejected):
    """The player was merged into another player, who stands for both."""

    code = "merged_player"
    rule = "standings.merged"
    detail = "the player was merged into {into}; use that player"

    into: str


class MergedAlready(CommandRejected):
    """The player was merged into somebody else before."""

    code = "merged_already"
    rule = "standings.merged"
    detail = "the player was merged into {into} already, and a merge cannot be taken back"

    into: str


class MergeInvalid(CommandRejected):
    """These two cannot be merged, or not by this owner."""

    code = "merge_invalid"
    rule = "standings.merged"
    detail = "{problem}"

    problem: Wording


class MergeOfOffice(CommandRejected):
    """The player who would go holds an office."""

    code = "merge_of_office"
    rule = "standings.merged"
    detail = (
        "the player who would go holds an office, as {role}: take the office away first, or merge"
        " the other way round"
    )

    role: str


class MergeOfBanned(CommandRejected):
    """One of the two is banned. A merge must not end a ban or spread it."""

    code = "merge_of_banned"
    rule = "standings.merged"
    detail = "{player} is banned; lift the ban, merge, and ban the player who stays"

    player: str


class MergeOfEntered(CommandRejected):
    """The player who would go is entered in a tournament that is not over."""

    code = "merge_of_entered"
    rule = "standings.merged"
    detail = (
        "the player who would go is entered in a tournament that is not over: withdraw them, or"
        " wait for its end"
    )

    tournaments: tuple[str, ...]


class PlayersMet(CommandRejected):
    """Both players have a result in the same tournament, so they cannot be one person."""

    code = "players_met"
    rule = "standings.merged"
    detail = (
        "both players were entered in the same tournament, and one person cannot hold two places;"
        " if one person played twice, have the result corrected instead"
    )

    tournaments: tuple[str, ...]


class TemplateUnknown(CommandRejected):
    """There is no such template in this league."""

    code = "template_unknown"
    detail = "the league has no such template"


class TemplateChanged(CommandRejected):
    """The template was changed after it was read."""

    code = "template_changed"
    detail = "the template is now at version {version}; read it again"

    version: int


class TemplateNameTaken(CommandRejected):
    """Another template has this name."""

    code = "template_name_taken"
    detail = "another template of this league has this name"


class TemplatesTooMany(CommandRejected):
    """The league has as many templates as it may have."""

    code = "templates_too_many"
    detail = "a league has at most {templates_max} templates; remove one first"

    templates_max: int


class TemplateBodyTooLong(CommandRejected):
    """The text of the house rules or of the template is too long."""

    code = "template_body_too_long"
    detail = "the text has {length} characters; at most {length_max} are allowed"

    length: int
    length_max: int
